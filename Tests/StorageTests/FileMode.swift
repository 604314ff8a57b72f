import Glibc

/// The permission bits of a file.
func mode(_ path: String) -> mode_t {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_mode & 0o777 : 0o777
}
