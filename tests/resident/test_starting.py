"""How a resident comes to be: with the first question, or with the session."""

import json
import plistlib
import shlex
from configparser import ConfigParser

from resident.conftest import until

AUTOSTART = "[watch]\nautostart = true\n"


def test_the_first_question_starts_a_resident_where_the_settings_say_so(house):
    made = json.loads(house.mem("remember", "Lighthouses blink at night.", "--json").out)
    assert house.standing() is None
    (house.root / "mem.toml").write_text(AUTOSTART)
    first = house.mem("recall", "lighthouses", "--ids")
    assert (first.code, first.out.split()) == (0, [made["id"]])
    until(house.standing, "the start")
    second = house.mem("recall", "lighthouses", "--ids")
    assert second.out == first.out
    assert house.standing()["answered"] >= 1


def test_no_other_command_starts_one_nor_the_wish_to_go_without(house):
    house.mem("remember", "Lighthouses blink at night.")
    (house.root / "mem.toml").write_text(AUTOSTART)
    for argv in (["--no-daemon", "recall", "lighthouses"], ["status"], ["log"], ["recall", "--nope"]):
        house.mem(*argv)
    assert house.standing() is None


def test_status_says_whether_a_resident_lives(house):
    assert json.loads(house.mem("status", "--json").out)["resident"] is None
    number = house.start()
    assert json.loads(house.mem("status", "--json").out)["resident"]["process"] == number
    assert f"process {number}" in house.mem("status").out


def test_the_unit_for_systemd_starts_the_resident_of_this_very_store(house):
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str
    unit.read_string(house.mem("setup", "watch", "--for", "systemd").out)
    words = shlex.split(unit["Service"]["ExecStart"].replace("%%", "%").replace("$$", "$"))
    assert words[1:] == ["-m", "memcli", "--store", str(house.root), "watch"]


def test_the_property_list_for_launchd_starts_the_resident_of_this_very_store(house):
    ran = house.mem("setup", "watch", "--for", "launchd", "--json")
    told = json.loads(ran.out)
    assert (told["format"], told["for"]) == ("mem.setup/1", "launchd")
    found = plistlib.loads(told["text"].encode())
    assert found["ProgramArguments"][1:] == ["-m", "memcli", "--store", str(house.root), "watch"]


def test_what_is_not_to_be_set_up_is_refused(house):
    assert house.mem("setup", "everything").code == 2
    assert house.mem("setup", "watch", "--for", "windows").code == 2


def test_two_stores_of_one_name_have_units_of_their_own(house, tmp_path):
    other = tmp_path / "other" / house.root.name
    house.mem("init", str(other), cwd=tmp_path)
    first, second = (house.mem("--store", str(root), "setup", "watch").out for root in (house.root, other))
    assert first.splitlines()[0] != second.splitlines()[0]


def test_a_service_manager_that_ends_it_sees_a_clean_end(house):
    running = house.popen("watch")
    until(house.standing, "the start")
    running.terminate()
    assert running.wait(20) == 0
