"""Files for PyIceberg that lie elsewhere than the metadata says: properties moved.from, moved.to."""

from pyiceberg.io.pyarrow import PyArrowFileIO


class MovedFiles(PyArrowFileIO):
    def new_input(self, location):
        return super().new_input(here(location, self.properties))


def here(location, properties):
    path = location.removeprefix("file:")
    start = properties["moved.from"]
    return properties["moved.to"] + path.removeprefix(start) if path.startswith(start) else location
