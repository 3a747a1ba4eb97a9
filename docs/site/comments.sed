# Doxygen's input filter. Our comments are plain words and formulas: a backslash (L\U) is no command,
# and a single capital in angle brackets (timed<B>) is no tag.
\|^ *//[/!]| {
  s/\\/\\\\/g
  s/<\([A-Z]\)>/\\<\1\\>/g
}
