#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#include "latchkey_winhttp.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <winhttp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URL_SIZE 2048

typedef struct handles {
    HINTERNET session, connection, request;
} handles;

static void close_all(const handles *open) {
    if (open->request != NULL) (void)WinHttpCloseHandle(open->request);
    if (open->connection != NULL) (void)WinHttpCloseHandle(open->connection);
    if (open->session != NULL) (void)WinHttpCloseHandle(open->session);
}

static latchkey_sent failure(latchkey_answer *answer) {
    char text[64];
    const DWORD error = GetLastError();
    (void)snprintf(text, sizeof text, "WinHTTP reports error %lu", (unsigned long)error);
    latchkey_answer_problem(answer, text);
    if (error == ERROR_WINHTTP_TIMEOUT) return LATCHKEY_SENT_TIMEOUT;
    return error == ERROR_WINHTTP_SECURE_FAILURE ? LATCHKEY_SENT_TLS : LATCHKEY_SENT_NOTHING;
}

/** Opens a request to an address. Returns false for an error of WinHTTP. */
static bool open_request(handles *open, const latchkey_request *request) {
    wchar_t url[URL_SIZE], host[256];
    URL_COMPONENTS parts;
    DWORD without = WINHTTP_DISABLE_REDIRECTS | WINHTTP_DISABLE_COOKIES | WINHTTP_DISABLE_AUTHENTICATION;
    const int timeout = (int)request->timeout_ms;
    if (MultiByteToWideChar(CP_UTF8, 0, request->url, -1, url, URL_SIZE) == 0) return false;
    memset(&parts, 0, sizeof parts);
    parts.dwStructSize = sizeof parts;
    parts.lpszHostName = host;
    parts.dwHostNameLength = 256;
    parts.dwUrlPathLength = (DWORD)-1;
    if (!WinHttpCrackUrl(url, 0, 0, &parts)) return false;
    open->session = WinHttpOpen(L"latchkey-client", WINHTTP_ACCESS_TYPE_DEFAULT_PROXY, WINHTTP_NO_PROXY_NAME,
                                WINHTTP_NO_PROXY_BYPASS, 0);
    if (open->session == NULL) return false;
    if (!WinHttpSetTimeouts(open->session, timeout, timeout, timeout, timeout)) return false;
    open->connection = WinHttpConnect(open->session, host, parts.nPort, 0);
    if (open->connection == NULL) return false;
    open->request = WinHttpOpenRequest(open->connection, request->body == NULL ? L"GET" : L"POST", parts.lpszUrlPath,
                                       NULL, WINHTTP_NO_REFERER, WINHTTP_DEFAULT_ACCEPT_TYPES,
                                       parts.nScheme == INTERNET_SCHEME_HTTPS ? WINHTTP_FLAG_SECURE : 0);
    return open->request != NULL &&
           WinHttpSetOption(open->request, WINHTTP_OPTION_DISABLE_FEATURE, &without, sizeof without);
}

static void read_header(HINTERNET request, const char *name, const wchar_t *wide_name, latchkey_answer *answer) {
    wchar_t wide[128];
    char value[256];
    DWORD size = sizeof wide;
    if (!WinHttpQueryHeaders(request, WINHTTP_QUERY_CUSTOM, wide_name, wide, &size, WINHTTP_NO_HEADER_INDEX)) return;
    const int length = WideCharToMultiByte(CP_UTF8, 0, wide, -1, value, sizeof value, NULL, NULL);
    if (length > 0) latchkey_answer_header(answer, name, strlen(name), value, (size_t)length - 1);
}

/** Reads the answer. WinHTTP measures the time between two parts, so that the whole is measured here. */
static latchkey_sent read_answer(HINTERNET request, int64_t timeout_ms, latchkey_answer *answer) {
    char part[4096];
    DWORD status = 0, size = sizeof status, length = 0;
    const ULONGLONG begin = GetTickCount64();
    if (!WinHttpQueryHeaders(request, WINHTTP_QUERY_STATUS_CODE | WINHTTP_QUERY_FLAG_NUMBER,
                             WINHTTP_HEADER_NAME_BY_INDEX, &status, &size, WINHTTP_NO_HEADER_INDEX))
        return failure(answer);
    latchkey_answer_status(answer, (int)status);
    read_header(request, "date", L"Date", answer);
    read_header(request, "latchkey-code", L"Latchkey-Code", answer);
    read_header(request, "retry-after", L"Retry-After", answer);
    do {
        if (!WinHttpReadData(request, part, sizeof part, &length)) return failure(answer);
        if (!latchkey_answer_body(answer, part, length)) return LATCHKEY_SENT_NOTHING;
        if ((int64_t)(GetTickCount64() - begin) > timeout_ms) return LATCHKEY_SENT_TIMEOUT;
    } while (length > 0);
    return LATCHKEY_SENT;
}

static latchkey_sent send_request(void *context, const latchkey_request *request, latchkey_answer *answer) {
    handles open = {NULL, NULL, NULL};
    latchkey_sent sent;
    const wchar_t *headers = request->body == NULL ? WINHTTP_NO_ADDITIONAL_HEADERS : L"Content-Type: application/json";
    const DWORD length = (DWORD)request->body_length;
    (void)context;
    if (!open_request(&open, request) ||
        !WinHttpSendRequest(open.request, headers, request->body == NULL ? 0 : (DWORD)-1,
                            (void *)(uintptr_t)request->body, length, length, 0) ||
        !WinHttpReceiveResponse(open.request, NULL))
        sent = failure(answer);
    else
        sent = read_answer(open.request, request->timeout_ms, answer);
    close_all(&open);
    return sent;
}

latchkey_transport latchkey_winhttp_transport(void) {
    const latchkey_transport transport = {send_request, NULL};
    return transport;
}
