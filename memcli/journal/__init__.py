"""Git as the journal of what happened: exact commits in, history out.

Git's own command does what is rare or needs judgement (hooks, signing, filters, unusual
repositories, history); what every act needs is done on git's files, because a process costs
more than the act: 1.3 ms each, and 10 ms once for Python's `subprocess`.

GitPython is no part of the path that writes or reads here. Measured with 3.2.1: importing
it takes 65 ms of CPU, where a commit takes 5 and a log of 20 entries 30; its children
inherit a calling hook's GIT_DIR; it cannot read SHA-256 repositories; and its index loses
commits when processes race. The tests use it as a second reader of what is written here.
"""
