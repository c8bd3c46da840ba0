/* SPDX-License-Identifier: Apache-2.0 */
/* io_write.c: tests of writing: frames are read back bit by bit; a full disk, a
 * folder without write permission or a target that is not a file leave
 * everything unchanged. */
#include "io_check.h"

#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char *const name_of_output[] = {
    "out.xyz",
#if FARSUM_WITH_HDF5
    "out.h5",
#endif
};

/* n particles whose numbers need all their digits. */
static struct io_frame make_frame(int64_t n) {
    struct io_frame f = {.n = n, .has_cell = true};
    uint64_t s = 88172645463325252u;
    double *potential = malloc(sizeof(double) * (size_t)n);
    char **species = malloc(sizeof *species * (size_t)n);
    f.x = malloc(3 * sizeof(double) * (size_t)n);
    f.q = malloc(sizeof(double) * (size_t)n);
    assert_true(potential && species && f.x && f.q);
    for (int64_t i = 0; i < 5 * n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        double v = ((double)s / 0x1p64 - 0.5) * (i % 7 ? 1e3 : 1e-7);
        if (i < 3 * n) f.x[i] = v;
        else if (i < 4 * n) f.q[i - 3 * n] = v;
        else potential[i - 4 * n] = v;
    }
    for (int64_t i = 0; i < n; i++) species[i] = strdup(i & 1 ? "Na" : "Cl");
    for (int k = 0; k < 9; k++) f.cell[k] = k % 4 == 0 ? 100.1 : k / 7.0;
    f.periodic[0] = f.periodic[1] = f.periodic[2] = 1;
    assert_int_equal(io_frame_set_column(&f, "potential", IO_REAL, 1,
                                         potential), 0);
    assert_int_equal(io_frame_set_column(&f, "species", IO_TEXT, 1, species),
                     0);
    assert_int_equal(io_frame_set_key(&f, "tolerance", "1e-6"), 0);
    assert_int_equal(io_frame_set_key(&f, "what",
                                      "with \"quotes\" \\ and\nlines"), 0);
    assert_int_equal(io_frame_set_key(&f, "empty", ""), 0);
    return f;
}

/* The column of species goes first in a file. */
static void species_first(struct io_frame *f) {
    struct io_column c = f->columns[0];
    f->columns[0] = f->columns[1];
    f->columns[1] = c;
}

static int write_one(const char *path, const struct io_frame *frame,
                     char error[300]) {
    struct io_writer *writer = NULL;
    if (io_create(path, NULL, &writer, error, 300)) return -1;
    if (io_write(writer, frame, error, 300)) {
        io_abandon(writer);
        return -1;
    }
    return io_commit(writer, error, 300);
}

static int files_in_folder(void) {
    DIR *folder = opendir(io_check_folder);
    assert_non_null(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(folder)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

static char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1000);
    assert_non_null(text);
    (void)!fread(text, 1, 999, file);
    fclose(file);
    return text;
}

static void comes_back(void **state) {
    (void)state;
    for (size_t k = 0; k < IO_COUNT(name_of_output); k++) {
        char error[300] = "";
        struct io_frame a = make_frame(5000), b = {0};
        const char *path = io_check_path(name_of_output[k]);
        if (write_one(path, &a, error)) fail_msg("%s", error);
        assert_int_equal(files_in_folder(), 1);
        struct io_reader *reader = NULL;
        assert_int_equal(io_open(path, NULL, &reader, error, sizeof error), 0);
        assert_int_equal(io_read(reader, &b, error, sizeof error), 1);
        if (k == 0) species_first(&a);
        io_check_same(&a, &b);
        assert_int_equal(io_read(reader, &b, error, sizeof error), 0);
        io_close(reader);
        io_frame_clear(&a);
        io_frame_clear(&b);
        unlink(path);
    }
}

static void reference_text(void **state)
{
    (void)state;
    char error[300] = "";
    struct io_frame f = make_frame(2);
    memcpy(f.x, (double[]){0.1, -2, 1e-20, 3, 0.5, 6e22}, 6 * sizeof(double));
    memcpy(f.q, (double[]){1, -1.0 / 3}, 2 * sizeof(double));
    memcpy(f.columns[0].data, (double[]){0, 7}, 2 * sizeof(double));
    memset(f.cell, 0, sizeof f.cell);
    f.cell[0] = f.cell[4] = f.cell[8] = 1.25;
    f.origin[2] = -1;
    f.periodic[1] = 0;
    const char *path = io_check_path("out.xyz");
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8")); /* test/locales.sh */
    assert_int_equal(write_one(path, &f, error), 0);
    setlocale(LC_ALL, "C");
    char *text = contents(path);
    assert_string_equal(
        text,
        "2\nLattice=\"1.25 0 0 0 1.25 0 0 0 1.25\" Origin=\"0 0 -1\" "
        "pbc=\"T F T\" Properties=species:S:1:pos:R:3:charge:R:1:potential:R:1 "
        "tolerance=1e-6 what=\"with \\\"quotes\\\" \\\\ and\\nlines\" "
        "empty=\"\"\n"
        "Cl 0.1 -2 1e-20 1 0\nNa 3 0.5 6e+22 -0.3333333333333333 7\n");
    free(text);
    io_frame_clear(&f);
    unlink(path);
}

/* Disk full: writes of this process stop after some bytes. */
static void full_disk(void **state) {
    (void)state;
    static const rlim_t limits[] = {0, 100, 3000, 40000, 300000};
    struct rlimit before, now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t k = 0; k < IO_COUNT(name_of_output); k++)
        for (size_t j = 0; j < IO_COUNT(limits); j++) {
            char error[300] = "", expected[300];
            struct io_frame f = make_frame(10000);
            const char *path = io_check_path(name_of_output[k]);
            io_check_put(path, "precious", 8);
            now = (struct rlimit){limits[j], before.rlim_max};
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
            int bad = write_one(path, &f, error);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
            assert_int_equal(bad, -1);
            snprintf(expected, sizeof expected, "%s: cannot write: File too "
                                                "large", path);
            assert_string_equal(error, expected);
            assert_int_equal(files_in_folder(), 1);
            char *text = contents(path);
            assert_string_equal(text, "precious");
            free(text);
            io_frame_clear(&f);
            unlink(path);
        }
}

static void devices(void **state) {
    (void)state;
    char error[300] = "";
    struct stat status;
    struct io_frame f = make_frame(100);
    assert_int_equal(write_one("/dev/full", &f, error), -1);
    assert_string_equal(error,
                        "/dev/full: cannot write: No space left on device");
    assert_int_equal(write_one("/dev/null", &f, error), 0);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    io_frame_clear(&f);
}

static void standard_output(void **state) {
    (void)state;
    char error[300] = "";
    struct io_frame f = make_frame(1);
    const char *path = io_check_path("caught");
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, STDOUT_FILENO);
    close(fd);
    int bad = write_one("-", &f, error);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(bad, 0);
    char *text = contents(path);
    assert_memory_equal(text, "1\nLattice=", 10);
    free(text);
    unlink(path);
    io_frame_clear(&f);
}

static void refused_at_once(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"/nowhere/a.xyz", NULL, "/nowhere/a.xyz: cannot create a file there: "
                                 "No such file or directory"},
        {"/tmp", "extxyz", "/tmp: is a directory"},
        {"a.pqr", NULL, "a.pqr: cannot write pqr: there are extxyz and hdf5"},
        {"a.b", NULL, "a.b: the suffix tells no format to write: .xyz, "
                      ".extxyz, .h5 or .hdf5?"},
        {"a.xyz", "gro", "a.xyz: cannot write gro: there are extxyz and hdf5"},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        char error[300] = "";
        struct io_writer *writer = NULL;
        assert_int_equal(io_create(cases[k][0], cases[k][1], &writer, error,
                                   sizeof error), -1);
        assert_null(writer);
        assert_string_equal(error, cases[k][2]);
    }
}

/* Tries to create `path`, in a child process.  0: it fails with the message
 * `what`; else 1. */
static int creation_says(const char *path, const char *what) {
    char error[300] = "", expected[400];
    struct io_writer *writer = NULL;
    if (io_create(path, NULL, &writer, error, sizeof error) == 0) {
        io_abandon(writer);
        return 1;
    }
    snprintf(expected, sizeof expected, "%s: %s: Permission denied", path,
             what);
    return strcmp(error, expected) != 0;
}

/* Permissions do not stop root, so a child without root's rights tries. */
static void read_only(void **state) {
    (void)state;
    char protected[200], other[200];
    snprintf(protected, sizeof protected, "%s", io_check_path("out.xyz"));
    snprintf(other, sizeof other, "%s", io_check_path("other.xyz"));
    io_check_put(protected, "precious", 8);
    assert_int_equal(chmod(protected, 0444), 0);
    assert_int_equal(chmod(io_check_folder, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        _exit(creation_says(protected, "cannot write") |
              creation_says(other, "cannot create a file there") << 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(io_check_folder, 0700), 0);
    assert_int_equal(files_in_folder(), 1);
    unlink(protected);
}

/* A replaced file keeps its mode, and a link stays a link. */
static void replaces(void **state) {
    (void)state;
    char error[300] = "", link[200];
    struct stat status;
    struct io_frame f = make_frame(3);
    snprintf(link, sizeof link, "%s", io_check_path("link.xyz"));
    const char *path = io_check_path("out.xyz");
    io_check_put(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("out.xyz", link), 0);
    assert_int_equal(write_one(link, &f, error), 0);
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_true(status.st_size > 100);
    assert_int_equal(files_in_folder(), 2);
    unlink(link);
    unlink(path);
    io_frame_clear(&f);
}

static void abandoned(void **state) {
    (void)state;
    for (size_t k = 0; k < IO_COUNT(name_of_output); k++) {
        char error[300];
        struct io_frame f = make_frame(1000);
        struct io_writer *writer = NULL;
        assert_int_equal(io_create(io_check_path(name_of_output[k]), NULL,
                                   &writer, error, sizeof error), 0);
        assert_int_equal(io_write(writer, &f, error, sizeof error), 0);
        assert_int_equal(files_in_folder(), 1); /* the temporary one */
        io_abandon(writer);
        assert_int_equal(files_in_folder(), 0);
        io_frame_clear(&f);
    }
    io_abandon(NULL);
    io_close(NULL);
}

static void names_that_cannot_be(void **state) {
    (void)state;
    static const char *const columns[][2] = {
        {"a:b", "the column name \"a:b\" is not allowed in a file of this "
                "format"},
        {"a b", "the column name \"a b\" is not allowed in a file of this "
                "format"},
        {"pos", "two columns of the name \"pos\""},
        {"charge", "two columns of the name \"charge\""},
    };
    for (size_t k = 0; k < IO_COUNT(columns); k++) {
        char error[300] = "";
        struct io_frame f = make_frame(1);
        assert_int_equal(io_frame_set_column(&f, columns[k][0], IO_REAL, 1,
                                             calloc(1, sizeof(double))), 0);
        assert_int_equal(write_one(io_check_path("out.xyz"), &f, error), -1);
        assert_non_null(strstr(error, columns[k][1]));
        assert_int_equal(files_in_folder(), 0);
        io_frame_clear(&f);
    }
    char error[300] = "";
    struct io_frame f = make_frame(1);
    assert_int_equal(io_frame_set_key(&f, "PBC", "x"), 0);
    assert_int_equal(write_one(io_check_path("out.xyz"), &f, error), -1);
    assert_non_null(strstr(error, "the key \"PBC\" has its own meaning in a "
                                  "file of this format"));
    io_frame_clear(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(reference_text),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(devices),
        cmocka_unit_test(standard_output),
        cmocka_unit_test(refused_at_once),
        cmocka_unit_test(read_only),
        cmocka_unit_test(replaces),
        cmocka_unit_test(abandoned),
        cmocka_unit_test(names_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
