"""The results on disk: a file for each run, written at once and never changed."""

import json
import os
import pathlib


class ForeignResults(Exception):
    """The folder holds the results of another plan."""


def write_whole(path, text):
    """Writes so that a reader, or this process when it is killed, leaves all of it or nothing. A link is followed."""
    path = pathlib.Path(os.path.realpath(path))
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


class Store:
    """DIR/study.json (plan and machine), DIR/runs/NUMBER.json (a run each)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.runs = self.folder / "runs"
        self.head = self.folder / "study.json"

    def open(self, document):
        """Begins or goes on with a study; `document` has the plan's fingerprint. The document as stored."""
        self.runs.mkdir(parents=True, exist_ok=True)
        stored = json.loads(self.head.read_text()) if self.head.exists() else {}
        if stored.get("fingerprint") == document["fingerprint"]:
            return stored
        if self.done():
            raise ForeignResults(
                f"{self.folder} holds results of another plan (\"{stored.get('plan')}\" or other "
                "limits); choose another folder with --out, or remove it")
        self.save_head(document)
        return document

    def save_head(self, document):
        write_whole(self.head, json.dumps(document, indent=1) + "\n")

    def read_head(self):
        return json.loads(self.head.read_text())

    def save(self, number, run):
        write_whole(self.runs / f"{number:06d}.json", json.dumps(run) + "\n")

    def done(self):
        """Numbers of the finished runs."""
        return {int(p.stem) for p in self.runs.glob("*.json")}

    def all_runs(self):
        return [json.loads(p.read_text()) for p in sorted(self.runs.glob("*.json"))]
