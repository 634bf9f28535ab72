/* Files, clocks and identity of the machine on Windows. Paths are UTF-8 here, and UTF-16 for the system. */

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Older headers of MinGW lack it. */
#ifndef RRF_SUBKEY_WOW6464KEY
#define RRF_SUBKEY_WOW6464KEY 0x00010000
#endif

#define LK_COUNTS_SLEEP true
#define LK_WIDE_SIZE 1600
/** 1601 to 1970 in the unit of Windows, 100 nanoseconds. */
#define LK_EPOCH_DIFFERENCE INT64_C(116444736000000000)
/** Virus scanners keep a file open for a moment; the time for which the client tries again. */
#define LK_BUSY_TRIES 20
#define LK_BUSY_PAUSE_MS 50

typedef SRWLOCK lk_mutex;

static bool lk_mutex_create(lk_mutex *mutex) {
    InitializeSRWLock(mutex);
    return true;
}

static void lk_mutex_destroy(lk_mutex *mutex) { (void)mutex; }

static void lk_mutex_lock(lk_mutex *mutex) { AcquireSRWLockExclusive(mutex); }

static void lk_mutex_unlock(lk_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }

static int64_t lk_time_of_windows(FILETIME time) {
    const int64_t ticks = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime);
    return (ticks - LK_EPOCH_DIFFERENCE) / 10000;
}

static int64_t lk_system_now(void *context) {
    FILETIME time;
    (void)context;
    GetSystemTimeAsFileTime(&time);
    return lk_time_of_windows(time);
}

static int64_t lk_system_monotonic(void *context) {
    (void)context;
    return (int64_t)GetTickCount64();
}

static void lk_system_sleep(int milliseconds) { Sleep((DWORD)milliseconds); }

static void lk_system_why(char why[LATCHKEY_TEXT_SIZE]) {
    (void)snprintf(why, LATCHKEY_TEXT_SIZE, "Windows reports error %lu", (unsigned long)GetLastError());
}

static bool lk_widen(const char *text, wchar_t *wide, int size) {
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, size) > 0;
}

static bool lk_narrow(const wchar_t *wide, char *text, size_t size) {
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)size, NULL, NULL) > 0;
}

static HANDLE lk_open(const char *path, DWORD access, DWORD disposition, DWORD flags) {
    wchar_t wide[LK_WIDE_SIZE];
    if (!lk_widen(path, wide, LK_WIDE_SIZE)) return INVALID_HANDLE_VALUE;
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    return CreateFileW(wide, access, shared, NULL, disposition, flags, NULL);
}

static bool lk_system_is_absent(void) {
    const DWORD error = GetLastError();
    return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
}

static bool lk_system_exists_already(void) {
    const DWORD error = GetLastError();
    /* A file that is about to disappear denies access. */
    return error == ERROR_FILE_EXISTS || error == ERROR_ALREADY_EXISTS || error == ERROR_ACCESS_DENIED ||
           error == ERROR_SHARING_VIOLATION;
}

static latchkey_stored lk_system_read(const char *path, lk_buffer *text, size_t most, char why[LATCHKEY_TEXT_SIZE]) {
    char part[1024];
    DWORD length = 0;
    BOOL is_good;
    const HANDLE file = lk_open(path, GENERIC_READ, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
    if (file == INVALID_HANDLE_VALUE) {
        lk_system_why(why);
        return lk_system_is_absent() ? LATCHKEY_STORED_NOTHING : LATCHKEY_STORED_FAILED;
    }
    while ((is_good = ReadFile(file, part, sizeof part, &length, NULL)) && length > 0 && text->length <= most)
        lk_add(text, part, length);
    if (!is_good) lk_system_why(why);
    (void)CloseHandle(file);
    return is_good ? LATCHKEY_STORED : LATCHKEY_STORED_FAILED;
}

static bool lk_remove_wide(const wchar_t *path) { return DeleteFileW(path) || lk_system_is_absent(); }

static bool lk_system_remove(const char *path) {
    wchar_t wide[LK_WIDE_SIZE];
    return lk_widen(path, wide, LK_WIDE_SIZE) && lk_remove_wide(wide);
}

/** Creates a file; fails if it exists. The folder of the user is closed to other users already. */
static bool lk_system_create(const char *path, const char *text, size_t length, bool is_lasting) {
    DWORD written = 0;
    const HANDLE file = lk_open(path, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
    if (file == INVALID_HANDLE_VALUE) return false;
    const bool is_good = WriteFile(file, text, (DWORD)length, &written, NULL) && written == length &&
                         (!is_lasting || FlushFileBuffers(file));
    const DWORD error = GetLastError();
    (void)CloseHandle(file);
    if (!is_good) (void)lk_system_remove(path);
    SetLastError(error);
    return is_good;
}

static bool lk_system_rename(const char *from, const char *to) {
    wchar_t wide_from[LK_WIDE_SIZE], wide_to[LK_WIDE_SIZE];
    if (!lk_widen(from, wide_from, LK_WIDE_SIZE) || !lk_widen(to, wide_to, LK_WIDE_SIZE)) return false;
    for (int tries = 0; tries < LK_BUSY_TRIES; tries++) {
        if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING)) return true;
        if (GetLastError() != ERROR_ACCESS_DENIED && GetLastError() != ERROR_SHARING_VIOLATION) return false;
        Sleep(LK_BUSY_PAUSE_MS);
    }
    return false;
}

/** Gives a file a second name; fails if that exists. */
static bool lk_system_link(const char *from, const char *to) {
    wchar_t wide_from[LK_WIDE_SIZE], wide_to[LK_WIDE_SIZE];
    return lk_widen(from, wide_from, LK_WIDE_SIZE) && lk_widen(to, wide_to, LK_WIDE_SIZE) &&
           CreateHardLinkW(wide_to, wide_from, NULL);
}

static bool lk_system_make_folder(const char *path) {
    wchar_t wide[LK_WIDE_SIZE];
    return lk_widen(path, wide, LK_WIDE_SIZE) &&
           (CreateDirectoryW(wide, NULL) || GetLastError() == ERROR_ALREADY_EXISTS);
}

static bool lk_system_touch(const char *path) {
    FILETIME now;
    const HANDLE file = lk_open(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
    if (file == INVALID_HANDLE_VALUE) return false;
    GetSystemTimeAsFileTime(&now);
    const bool is_good = SetFileTime(file, NULL, NULL, &now);
    (void)CloseHandle(file);
    return is_good;
}

static int64_t lk_system_modified(const char *path) {
    wchar_t wide[LK_WIDE_SIZE];
    WIN32_FILE_ATTRIBUTE_DATA data;
    if (!lk_widen(path, wide, LK_WIDE_SIZE) || !GetFileAttributesExW(wide, GetFileExInfoStandard, &data))
        return LATCHKEY_NONE;
    return lk_time_of_windows(data.ftLastWriteTime);
}

/** Calls `visit` with the name of each entry of a folder. */
static void lk_system_list(const char *path, void (*visit)(void *context, const char *name), void *context) {
    wchar_t wide[LK_WIDE_SIZE];
    WIN32_FIND_DATAW found;
    char name[512];
    if (!lk_widen(path, wide, LK_WIDE_SIZE - 2)) return;
    (void)wcscat(wide, L"\\*");
    const HANDLE search = FindFirstFileW(wide, &found);
    if (search == INVALID_HANDLE_VALUE) return;
    do {
        if (lk_narrow(found.cFileName, name, sizeof name)) visit(context, name);
    } while (FindNextFileW(search, &found));
    (void)FindClose(search);
}

static long lk_system_process(void) { return (long)GetCurrentProcessId(); }

/** A process of another user counts as alive. */
static bool lk_system_is_alive(long process) {
    DWORD code = 0;
    const HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
    if (handle == NULL) return GetLastError() == ERROR_ACCESS_DENIED;
    const bool is_alive = !GetExitCodeProcess(handle, &code) || code == STILL_ACTIVE;
    (void)CloseHandle(handle);
    return is_alive;
}

static bool lk_system_random(unsigned char *bytes, size_t length) {
    unsigned number;
    for (size_t i = 0; i < length; i++) {
        if (rand_s(&number) != 0) return false;
        bytes[i] = (unsigned char)(number >> 16);
    }
    return true;
}

static void lk_system_hostname(char *name, size_t size) {
    wchar_t wide[256];
    DWORD length = 256;
    name[0] = '\0';
    if (GetComputerNameExW(ComputerNameDnsHostname, wide, &length)) (void)lk_narrow(wide, name, size);
}

/** The folder in which programs of this user keep their state; empty without one. */
static void lk_system_home(char *path, size_t size) {
    wchar_t wide[512];
    const DWORD length = GetEnvironmentVariableW(L"LOCALAPPDATA", wide, 512);
    path[0] = '\0';
    if (length > 0 && length < 512 && !lk_narrow(wide, path, size)) path[0] = '\0';
}

/** The id that the system keeps, or an empty text without one. Returns false if it cannot be read at the moment. */
static bool lk_system_machine_id(char id[64]) {
    DWORD size = 64;
    const LSTATUS status = RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Cryptography", "MachineGuid",
                                        RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY, NULL, id, &size);
    if (status != ERROR_SUCCESS) id[0] = '\0';
    for (char *at = id; *at != '\0'; at++) *at = lk_lower(*at);
    return status == ERROR_SUCCESS || status == ERROR_FILE_NOT_FOUND;
}
