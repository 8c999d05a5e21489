"""Four processes that remember five claims each at the same time: the short form of the benchmark."""

from program import Program
from writers import counted, crowd, sound

WRITERS, EACH = 4, 5


def test_every_acknowledged_memory_is_in_head_once_and_nothing_else_is(tmp_path):
    program = Program.at(tmp_path)
    answers = crowd(program, WRITERS, EACH)
    found = counted(program, answers)
    assert found["acknowledged"] == WRITERS * EACH
    assert sound(found), found
