/* Files, clocks and identity of the machine on Linux, macOS and other POSIX systems. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOKitLib.h>
#endif

typedef pthread_mutex_t lk_mutex;

static bool lk_mutex_create(lk_mutex *mutex) { return pthread_mutex_init(mutex, NULL) == 0; }

static void lk_mutex_destroy(lk_mutex *mutex) { (void)pthread_mutex_destroy(mutex); }

static void lk_mutex_lock(lk_mutex *mutex) { (void)pthread_mutex_lock(mutex); }

static void lk_mutex_unlock(lk_mutex *mutex) { (void)pthread_mutex_unlock(mutex); }

static int64_t lk_read_clock(clockid_t id) {
    struct timespec at = {0, 0};
    (void)clock_gettime(id, &at);
    return (int64_t)at.tv_sec * LK_SECOND_MS + at.tv_nsec / 1000000;
}

static int64_t lk_system_now(void *context) {
    (void)context;
    return lk_read_clock(CLOCK_REALTIME);
}

#if defined(__APPLE__)
#define LK_COUNTS_SLEEP true
#define LK_SYSTEM_MONOTONIC CLOCK_MONOTONIC
#elif defined(CLOCK_BOOTTIME)
#define LK_COUNTS_SLEEP true
#define LK_SYSTEM_MONOTONIC CLOCK_BOOTTIME
#else
#define LK_COUNTS_SLEEP false
#define LK_SYSTEM_MONOTONIC CLOCK_MONOTONIC
#endif

static int64_t lk_system_monotonic(void *context) {
    (void)context;
    return lk_read_clock(LK_SYSTEM_MONOTONIC);
}

static void lk_system_sleep(int milliseconds) {
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

static void lk_system_why(char why[LATCHKEY_TEXT_SIZE]) {
    const int error = errno;
    (void)snprintf(why, LATCHKEY_TEXT_SIZE, "%s", strerror(error));
}

/** Reads a file of at most `most` bytes. */
static latchkey_stored lk_system_read(const char *path, lk_buffer *text, size_t most, char why[LATCHKEY_TEXT_SIZE]) {
    char part[1024];
    ssize_t length;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        lk_system_why(why);
        return errno == ENOENT ? LATCHKEY_STORED_NOTHING : LATCHKEY_STORED_FAILED;
    }
    while ((length = read(file, part, sizeof part)) > 0 && text->length <= most) lk_add(text, part, (size_t)length);
    if (length < 0) lk_system_why(why);
    (void)close(file);
    return length < 0 ? LATCHKEY_STORED_FAILED : LATCHKEY_STORED;
}

/** Whether the last failure of a read recurs at each start: the file is absent, or the app may not read it. */
static bool lk_system_is_lasting(void) {
    return errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == EACCES || errno == EPERM;
}

/** Creates a file for this user alone; fails if it exists. `is_lasting` flushes it to the disk. */
static bool lk_system_create(const char *path, const char *text, size_t length, bool is_lasting) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    bool is_good = true;
    for (size_t done = 0; is_good && done < length;) {
        const ssize_t written = write(file, text + done, length - done);
        is_good = written > 0;
        if (is_good) done += (size_t)written;
    }
    is_good = is_good && (!is_lasting || fsync(file) == 0);
    const int error = errno;
    is_good = close(file) == 0 && is_good;
    if (!is_good) (void)unlink(path);
    errno = error;
    return is_good;
}

static bool lk_system_exists_already(void) { return errno == EEXIST; }

static bool lk_system_is_absent(void) { return errno == ENOENT; }

static bool lk_system_rename(const char *from, const char *to) { return rename(from, to) == 0; }

/** Gives a file a second name; fails if that exists. */
static bool lk_system_link(const char *from, const char *to) { return link(from, to) == 0; }

static bool lk_system_remove(const char *path) { return unlink(path) == 0 || errno == ENOENT; }

static bool lk_system_make_folder(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }

/** Sets the time of a file to now. Returns false if there is no such file. */
static bool lk_system_touch(const char *path) { return utimes(path, NULL) == 0; }

static int64_t lk_system_modified(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return LATCHKEY_NONE;
#ifdef __APPLE__
    return (int64_t)info.st_mtimespec.tv_sec * LK_SECOND_MS + info.st_mtimespec.tv_nsec / 1000000;
#else
    return (int64_t)info.st_mtim.tv_sec * LK_SECOND_MS + info.st_mtim.tv_nsec / 1000000;
#endif
}

/** Calls `visit` with the name of each entry of a folder. */
static void lk_system_list(const char *path, void (*visit)(void *context, const char *name), void *context) {
    DIR *folder = opendir(path);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) visit(context, entry->d_name);
    (void)closedir(folder);
}

static long lk_system_process(void) { return (long)getpid(); }

/** A process of another user counts as alive. */
static bool lk_system_is_alive(long process) { return process > 0 && (kill((pid_t)process, 0) == 0 || errno == EPERM); }

static bool lk_system_random(unsigned char *bytes, size_t length) {
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool is_good = read(file, bytes, length) == (ssize_t)length;
    (void)close(file);
    return is_good;
}

static void lk_system_hostname(char *name, size_t size) {
    if (gethostname(name, size) != 0) name[0] = '\0';
    name[size - 1] = '\0';
}

/** The folder in which programs of this user keep their state; empty without one. */
static void lk_system_home(char *path, size_t size) {
    const char *home = getenv("HOME");
    path[0] = '\0';
#ifdef __APPLE__
    if (home != NULL) (void)snprintf(path, size, "%s/Library/Application Support", home);
#else
    const char *state = getenv("XDG_STATE_HOME");
    if (state != NULL && *state != '\0')
        (void)snprintf(path, size, "%s", state);
    else if (home != NULL)
        (void)snprintf(path, size, "%s/.local/state", home);
#endif
}

#ifndef __APPLE__
/** Reads the begin of a file of the system into `text`. Returns false if it could not be read now. */
static bool lk_system_text(const char *path, char *text, size_t size) {
    size_t length = 0;
    ssize_t part = 0;
    text[0] = '\0';
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return lk_system_is_lasting();
    while (length + 1 < size && (part = read(file, text + length, size - length - 1)) > 0) length += (size_t)part;
    const bool is_good = part >= 0 || lk_system_is_lasting();
    (void)close(file);
    text[length] = '\0';
    return is_good;
}

static bool lk_is_machine_id(char *text) {
    size_t length = 0;
    bool is_zero = true;
    while (text[length] != '\0' && strchr(" \t\r\n", text[length]) == NULL) {
        text[length] = lk_lower(text[length]);
        if (lk_hex(text[length]) < 0) return false;
        is_zero = is_zero && text[length] == '0';
        length++;
    }
    text[length] = '\0';
    return length == 32 && !is_zero;
}
#endif

/** The id that the system keeps, or an empty text without one. Returns false if it cannot be read at the moment. */
static bool lk_system_machine_id(char id[64]) {
    id[0] = '\0';
#ifdef __APPLE__
    const io_service_t expert = IOServiceGetMatchingService(0, IOServiceMatching("IOPlatformExpertDevice"));
    if (expert == 0) return false;
    CFTypeRef uuid = IORegistryEntryCreateCFProperty(expert, CFSTR("IOPlatformUUID"), kCFAllocatorDefault, 0);
    (void)IOObjectRelease(expert);
    if (uuid == NULL) return true;
    const bool is_read = CFStringGetCString((CFStringRef)uuid, id, 64, kCFStringEncodingUTF8);
    CFRelease(uuid);
    for (char *at = id; *at != '\0'; at++) *at = lk_lower(*at);
    return is_read;
#else
    static const char *const paths[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
    static const char *const containers[] = {"kubepods", "docker", "containerd", "lxc"};
    char groups[4096];
    if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0) return true;
    if (!lk_system_text("/proc/self/cgroup", groups, sizeof groups)) return false;
    for (size_t i = 0; i < LK_COUNT(containers); i++)
        if (strstr(groups, containers[i]) != NULL) return true;
    for (size_t i = 0; i < LK_COUNT(paths); i++) {
        if (!lk_system_text(paths[i], id, 64)) return false;
        if (lk_is_machine_id(id)) return true;
        id[0] = '\0';
    }
    return true;
#endif
}
