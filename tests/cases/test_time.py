"""Time: one rule for every moment that a person writes, in any zone, at its very edges."""

import pytest

GATE = "The gate of the depot is open."
BESIDE = "Deploys to production happen on Tuesdays only."


def gate(trial, head, id_="gate0000aaaa", claim=GATE):
    """A memory with these lines of frontmatter beside one that has none."""
    trial.write("beside00aaaa", BESIDE)
    return trial.write(id_, claim, head)


def opens(trial, start, to="", **how):
    """The memory with a window."""
    gate(trial, f"validity:\n  from: {start}\n  to: {to}\n", **how)
    return trial


def holds(trial, moment, id_="gate0000aaaa", **how):
    """Whether it is an answer at that moment."""
    assert trial.found("deploys to production", "--as-of", moment, **how)[0] == "beside00aaaa"
    return id_ in trial.found("gate of the depot", "--as-of", moment, **how)


SPELLED = {
    "2026-01-01": "2026-01-01T00:00:00Z",
    "2026-01-01 10:00:00": "2026-01-01T10:00:00Z",
    "'2026-01-01T10:00:00'": "2026-01-01T10:00:00Z",
    "2026-01-01T10:00:00Z": "2026-01-01T10:00:00Z",
    "2026-01-01T10:00:00+02:00": "2026-01-01T08:00:00Z",
    "2026-01-01T10:00": "2026-01-01T10:00:00Z",
    "2026-01-01T10:00:00.999-0530": "2026-01-01T15:30:00Z",
}


@pytest.mark.case("P-TIME-01")
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"])
def test_naive_and_aware_times_mean_the_same_in_every_process(trial, zone):
    for nth, spelled in enumerate(SPELLED):
        gate(
            trial,
            f"validity:\n  from: {spelled}\n",
            f"gate{nth:04d}aaaa",
            f"The gate {nth} of the depot is open.",
        )
    zoned = {"env": {"TZ": zone}}
    for nth, moment in enumerate(SPELLED.values()):
        id_ = f"gate{nth:04d}aaaa"
        assert trial.told("show", id_, **zoned)["validity"]["from"] == moment
        found = trial.found(f"the gate {nth} of the depot", "--as-of", moment, "-k", "20", **zoned)
        before = trial.found(
            f"the gate {nth} of the depot", "--as-of", _second_before(moment), "-k", "20", **zoned
        )
        assert (id_ in found, id_ in before) == (True, False)


def _second_before(moment):
    from memcli.memory.times import parse, show

    return show(parse(moment) - 1)


@pytest.mark.case("P-TIME-01")
def test_a_time_without_offset_is_read_in_the_zone_of_the_settings_and_a_date_too(trial):
    (trial.root / "mem.toml").write_text('timezone = "America/New_York"\n')
    opens(trial, "2026-01-01", "2026-01-02 06:00")
    assert [holds(trial, one) for one in ("2026-01-01T04:59:59Z", "2026-01-01T05:00:00Z")] == [False, True]
    assert [holds(trial, one) for one in ("2026-01-02T10:59:59Z", "2026-01-02T11:00:00Z")] == [True, False]
    assert [holds(trial, one) for one in ("2026-01-01", "2026-01-01 00:00", "2026-01-02 06:00")] == [
        True,
        True,
        False,
    ]


IMPOSSIBLE = (
    "2026-02-30",
    "0000-01-01",
    "2016-12-31T23:59:60Z",
    "2026-13-01",
    "2026-01-01T24:00:00",
    "2026-01-01T10:60",
    "2025-02-29",
    "2026-01-01T10:00:00+24:00",
    "2026-00-10",
)


@pytest.mark.case("P-TIME-02")
@pytest.mark.parametrize("moment", IMPOSSIBLE)
@pytest.mark.parametrize("key", ["from", "to"])
def test_a_moment_that_does_not_exist_sets_its_file_aside_by_line_and_no_other(trial, moment, key):
    path = gate(trial, f"validity:\n  {key}: {moment}\n")
    raw = path.read_bytes()
    assert trial.found("gate of the depot", "--mode", "history", "--floor", "0.5") == []
    assert trial.found("deploys to production") == ["beside00aaaa"]
    ran = trial.ran("check")
    assert ran.code == 4
    assert f"schemas/project/t/gate0000aaaa.md:4: validity.{key}: " in ran.out
    assert "1 file set aside, 1 understood" in ran.err
    assert trial.ran("forget", "gate0000aaaa", "--yes").code == 4
    assert path.read_bytes() == raw


NO_TIMES = (
    "garbage",
    "",
    "9999-99-99",
    "yesterday",
    "0",
    "1735689600",
    "2026-7-1",
    "20260102",
    "2026-W05",
    "now",
    "2026-01-02T03",
    "2026-01-02T03:04:05.1234567891Z",
    "\u22122026-01-01",
    "\uff12\uff10\uff12\uff16-01-01",
    "--output=x",
    "2026-01-01\n2026-01-02",
)


@pytest.mark.case("P-TIME-03")
@pytest.mark.case("P-SEC-07")
@pytest.mark.parametrize("text", NO_TIMES)
def test_text_that_is_no_time_is_refused_wherever_one_is_asked_for(trial, text):
    id_ = trial.remember(GATE)["id"]
    head = trial.head()
    for argv in (
        ["recall", "gate", f"--as-of={text}"],
        ["remember", "x", f"--valid-from={text}"],
        ["remember", "x", f"--valid-to={text}"],
        ["remember", "x", f"--occurred-at={text}"],
        ["supersede", id_, "--with", "x", f"--from={text}"],
        ["log", f"--since={text}"],
    ):
        ran = trial.ran(*argv)
        assert (ran.code, ran.out) == (2, ""), argv
        assert "Hint: " in ran.err
    assert trial.head() == head
    assert trial.ran("recall", "gate", "--as-of", "2026-01-02T03:04:05.123456789Z").code == 0


@pytest.mark.case("P-TIME-04")
def test_long_ago_and_far_ahead_apply_what_is_true_then(trial):
    opens(trial, "2026-01-01", "2027-01-01")
    assert [
        holds(trial, one) for one in ("1970-01-01", "2099-01-01", "0001-01-01", "9999-12-31T23:59:59Z")
    ] == [False] * 4
    ahead = trial.ran("recall", "deploys to production", "--as-of", "2099-01-01")
    assert "2099-01-01T00:00:00Z lies ahead" in ahead.err
    assert "lies ahead" not in trial.ran("recall", "deploys to production", "--as-of", "2026-06-01").err
    later = trial.recall("deploys to production", "--as-of", "2027-01-01")
    then = trial.recall("deploys to production", "--as-of", "2099-01-01")
    assert later["items"] == then["items"] != []


@pytest.mark.case("P-TIME-05")
@pytest.mark.parametrize(
    ("start", "to"),
    [("2026-05-01", "2026-04-01"), ("2026-05-01", "2026-05-01"), ("2026-05-01T00:00:01Z", "2026-05-01")],
)
def test_a_window_that_ends_before_it_begins_is_reported_and_never_true(trial, start, to):
    opens(trial, start, to)
    assert not any(
        holds(trial, one) for one in ("2026-03-31", "2026-04-01", "2026-04-15", "2026-05-01", "2026-05-02")
    )
    ran = trial.ran("check")
    assert ran.code == 4
    assert "gate0000aaaa.md" in ran.out
    assert "validity" in ran.out
    assert trial.ran("remember", "x", "--valid-from", start, "--valid-to", to).code == 2


@pytest.mark.case("P-TIME-05")
def test_a_window_holds_from_its_first_instant_up_to_but_not_at_its_end(trial):
    opens(trial, "2026-05-01T10:00:00Z", "2026-05-01T10:00:02Z")
    seconds = [
        f"2026-05-01T{clock}Z" for clock in ("09:59:59", "10:00:00", "10:00:01", "10:00:02", "10:00:03")
    ]
    for _ in range(2):
        assert [holds(trial, one) for one in seconds] == [False, True, True, False, False]
        assert holds(trial, "2026-05-01T12:00:01+02:00")
        trial.forgets_the_index()


@pytest.mark.case("P-TIME-06")
def test_an_hour_that_is_left_out_or_comes_twice_has_one_meaning(trial):
    (trial.root / "mem.toml").write_text('timezone = "Europe/Rome"\n')
    opens(trial, "2026-03-29 02:30", "2026-10-25 02:30")
    shown = trial.told("show", "gate0000aaaa")["validity"]
    assert shown == {"from": "2026-03-29T01:30:00Z", "to": "2026-10-25T00:30:00Z"}
    assert [holds(trial, one) for one in ("2026-03-29T01:29:59Z", "2026-03-29T01:30:00Z")] == [False, True]
    assert [
        holds(trial, one) for one in ("2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z")
    ] == [True, False, False]
    assert holds(trial, "2026-03-29 02:30")
    assert not holds(trial, "2026-10-25 02:30")
    assert holds(trial, "2026-10-25 02:29", env={"TZ": "Australia/Lord_Howe"})


@pytest.mark.case("P-TIME-06")
def test_of_two_that_replace_each_other_the_order_is_that_of_utc(trial):
    (trial.root / "mem.toml").write_text('timezone = "Europe/Rome"\n')
    old = trial.remember("The depot has 3 gates.", "--valid-from", "2026-10-25T02:30:00+02:00")["id"]
    new = trial.told(
        "supersede", old, "--with", "The depot has 4 gates.", "--from", "2026-10-25T02:30:00+01:00"
    )
    assert new["until"] == "2026-10-25T01:30:00Z"
    assert (
        trial.ran(
            "supersede", new["new"], "--with", "The depot has 5 gates.", "--from", "2026-10-25 02:30"
        ).code
        == 5
    )
    assert trial.found("how many gates has the depot", "--as-of", "2026-10-25T01:00:00Z")[0] == old
    assert trial.found("how many gates has the depot", "--as-of", "2026-10-25T01:30:00Z")[0] == new["new"]


@pytest.mark.case("P-TIME-07")
@pytest.mark.parametrize(
    "zone", ["Mars/Base", ":/nonexistent", "", "../../etc/passwd", "Asia/Kathmandu", "Pacific/Kiritimati"]
)
def test_an_odd_zone_of_the_process_changes_nothing(trial, zone):
    opens(trial, "2026-05-01", "2026-06-01")
    ran = trial.ran("recall", "gate of the depot", "--as-of", "2026-05-01", env={"TZ": zone})
    assert ran.out.startswith("gate0000aaaa")
    assert ran.err == ""
    assert not holds(trial, "2026-06-01", env={"TZ": zone})


@pytest.mark.case("P-TIME-07")
@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "local"])
def test_an_unknown_zone_in_the_settings_is_utc_with_one_notice(trial, zone):
    (trial.root / "mem.toml").write_text(f'timezone = "{zone}"\n')
    opens(trial, "2026-05-01", "2026-06-01")
    ran = trial.ran("recall", "gate of the depot", "--as-of", "2026-05-01T00:00:00Z")
    assert ran.out.startswith("gate0000aaaa")
    assert len(ran.err.splitlines()) <= 1
    assert "timezone" in trial.ran("check").out


@pytest.mark.case("P-TIME-07")
def test_a_real_process_in_a_zone_that_does_not_exist_answers(trial):
    opens(trial, "2026-05-01", "2026-06-01")
    trial.commit_by_hand()
    ran = trial.process("recall", "gate of the depot", "--as-of", "2026-05-01", env={"TZ": "Mars/Base"})
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("gate0000aaaa")


@pytest.mark.case("P-TIME-08")
@pytest.mark.parametrize(
    ("spelled", "meant"),
    [
        ("2026-05-01T00:00:05.123456789Z", "2026-05-01T00:00:05Z"),
        ("2026-01-02T03:04", "2026-01-02T03:04:00Z"),
        ("2026-01-02 03:04:05+05:45", "2026-01-01T21:19:05Z"),
        ("2026-01-02t03:04:05z", "2026-01-02T03:04:05Z"),
        ("1735689600", None),
        ("20260102", None),
        ("2026-W05", None),
        ("\u22122026-01-01", None),
        ("-2026-01-01", None),
        ("12026-01-01", None),
    ],
)
def test_any_spelling_is_read_by_rule_or_set_aside_and_kept_as_text(trial, spelled, meant):
    path = gate(trial, f"validity:\n  from: {spelled}\n")
    trial.commit_by_hand()
    raw = path.read_bytes()
    if meant is None:
        assert trial.ran("check").code == 4
        assert trial.ran("forget", "gate0000aaaa", "--yes").code == 4
        assert path.read_bytes() == raw
        return
    assert trial.told("show", "gate0000aaaa")["validity"]["from"] == meant
    trial.forget("gate0000aaaa")
    assert spelled in path.read_text("utf-8")
    trial.unforget("gate0000aaaa")
    assert path.read_bytes() == raw
    trial.did("supersede", "gate0000aaaa", "--with", "The gate of the depot is shut.")
    assert spelled in path.read_text("utf-8")
