"""What the documentation tests read in a Markdown page: fenced code blocks, links, headings."""

import dataclasses
import re

# The language of a block says what it is. Every block must have one of these.
LANGUAGES = {
    "cpp": "compiled and run",
    "c": "with a main() a program, compiled and run; else the kernel dialect, compiled as OpenCL C",
    "cmake": "configured and built",
    "sh": "commands: their files and options are checked",
    "python": "its syntax is checked; tests/python runs its page",
    "toml": "a plan of the study",
    "text": "output or a picture",
}

FENCE = re.compile(r"^(`{3,})(.*)$")
WISH = re.compile(r"^<!-- snippet: (.*?)(?: -->)?$")
LINK = re.compile(r"(?<!\\)!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


class PageError(Exception):
    """A page that breaks the rules; the text says where and how."""


@dataclasses.dataclass
class Block:
    page: str
    line: int  # of the first line of code, counted from 1
    language: str
    code: str
    wish: str  # what the comment `<!-- snippet: ... -->` before the block says, or ""

    def is_program(self):
        return self.language in ("cpp", "c") and re.search(r"\bint\s+main\s*\(", self.code) is not None


def blocks(page, text):
    """All fenced blocks of a page in order."""
    found, wish, opened = [], [], None
    in_wish = False
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if opened:
            if fence and len(fence[1]) >= len(opened[0]) and not fence[2].strip():
                _, language, first, code = opened
                found.append(Block(page, first, language, "\n".join(code) + "\n", " ".join(wish)))
                opened, wish = None, []
            else:
                opened[3].append(line)
        elif fence:
            opened = (fence[1], fence[2].strip(), number + 1, [])
        elif in_wish:
            wish.append(line.removesuffix("-->").strip())
            in_wish = not line.endswith("-->")
        elif start := WISH.match(line):
            wish = [start[1].strip()]
            in_wish = not line.endswith("-->")
        elif line.strip():
            wish = []
    if opened:
        raise PageError(f"{page}:{opened[2]}: the block is never closed")
    return found


def prose(text):
    """The page without its fenced blocks and inline code, so that no link is seen in them."""
    kept, fence = [], None
    for line in text.splitlines():
        mark = FENCE.match(line)
        if fence:
            fence = None if mark and len(mark[1]) >= len(fence) and not mark[2].strip() else fence
        elif mark:
            fence = mark[1]
        else:
            kept.append(re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line))
    return "\n".join(kept)


def links(text):
    """Targets of all links and pictures of a page."""
    return LINK.findall(prose(text))


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    made = {}
    for line in re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.M | re.S).splitlines():
        if heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
            words = re.sub(r"[^\w\- ]", "", heading[1].replace("`", "").lower()).replace(" ", "-")
            count = made.get(words, 0)
            made[words] = count + 1
            yield f"{words}-{count}" if count else words
