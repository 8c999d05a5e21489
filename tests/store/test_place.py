"""Where everything of a store stands."""

from memcli.store.place import Place


def test_everything_stands_below_the_root(tmp_path):
    place = Place(tmp_path)
    names = [name for name in vars(Place) if isinstance(getattr(Place, name), property)]
    assert len(names) >= 12
    assert all(getattr(place, name).is_relative_to(tmp_path) for name in names)
    assert place.at("schemas/a.md") == tmp_path / "schemas/a.md"


def test_settings_stand_in_pyproject_only_where_no_own_file_exists(tmp_path):
    place = Place(tmp_path)
    assert place.settings_file.name == "mem.toml"
    (tmp_path / "pyproject.toml").touch()
    assert place.settings_file.name == "pyproject.toml"
    (tmp_path / "mem.toml").touch()
    assert place.settings_file.name == "mem.toml"


def test_what_is_of_this_machine_stands_in_the_private_folder(tmp_path):
    place = Place(tmp_path)
    own = (place.index_folder, place.vectors_folder, place.known_file, place.lock_file, place.intent_file)
    assert {path.parent for path in (*own, place.machine_file)} == {place.private}
