# Doxygen's input filter. Our comments are plain words and formulas: a backslash (L\U) is no command.
# In a comment of its own line a single capital or … in angle brackets (timed<B>, complex<…>) is no tag;
# behind code it may be code (a template's arguments) and stays.
\|//[/!]| s/\\/\\\\/g
\|^ *//[/!]| s/<\([A-Z]\|…\)>/\\<\1\\>/g
