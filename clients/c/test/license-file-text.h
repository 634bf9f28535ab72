/* The first accepted file of docs/vectors/license-files.json, and what an app that accepts it carries. */

static const char LICENSE_FILE_ISSUER[] = "urn:latchkey:k7qwm2mnpr9xhtbv";

static const latchkey_public_key LICENSE_FILE_KEYS[] = {
    {"k08c52a2f76da", "zlPaV5z2JG9f9nR-0994RctE6u-oNNtniL92jy0d3C0"},
    {"k0d3534bc12e9", "zQloRO2EhvNn32k_9AorSZlyxLLq5QdtPKgta0JydQY"},
};

static const char LICENSE_FILE_TEXT[] =
    "-----BEGIN LATCHKEY LICENSE-----\neyJhbGciOiJFZERTQSIsInR5cCI6ImxhdGNoa2V5LWxpY2Vuc2Urand0Iiwia2lk\n"
    "IjoiazA4YzUyYTJmNzZkYSJ9.eyJ2IjoxLCJpc3MiOiJ1cm46bGF0Y2hrZXk6azd\nxd20ybW5wcjl4aHRidiIsImp0aSI6ImxmX"
    "zAxOWNlZDNlLTZhNDAtNzAwMC04MDA\nwLTVhMWIyYzNkNGU1ZiIsImlhdCI6MTgwMzg5MzQwMCwicmVuZXdBZnRlciI6MTg\nwN"
    "DU0MTQwMCwiZXhwIjoxODA2NDg1NDAwLCJwdXJwb3NlIjoiZ3JhY2UiLCJsaWM\niOiJuOGFGTEZUNks5NUlhVEY2dWdKRnBkIiw"
    "ia2V5SGludCI6IjZXRkdKIiwiZnA\niOiJ1c3dpOVpNS3FsQnpLQUFVa0V4UnRLeHk2RG0tOHBkdWZyTzhsQVRlSkZVIiw\nicHJ"
    "vZHVjdElkIjoicGFpbnQiLCJwcm9kdWN0cyI6WyJwYWludCIsImJydXNoZXM\niXSwidmFyaWFudCI6InBybyIsImxpY2Vuc2VUe"
    "XBlIjoicGVyLW1hY2hpbmUiLCJ\nsaWNlbnNlRXhwaXJlc0F0IjpudWxsLCJtYXhNYWNoaW5lcyI6MywiaG9zdG5hbWU\niOiJTd"
    "HVkaW8gbGFwdG9wIn0.Gy0-Njy7b-sQhkc19Su02qV4vL7ToL6Zyxlwo8E\nS-kxPxiJyvmYwirY74aNVvRm8Me9hU5L0g4OB3qJ"
    "x57FwBQ\n-----END LATCHKEY LICENSE-----\n";

/** The same as a JSON string. */
static const char LICENSE_FILE_JSON[] =
    "\"-----BEGIN LATCHKEY LICENSE-----\\neyJhbGciOiJFZERTQSIsInR5cCI6ImxhdGNoa2V5LWxpY2Vuc2Urand0Iiwia2l"
    "k\\nIjoiazA4YzUyYTJmNzZkYSJ9.eyJ2IjoxLCJpc3MiOiJ1cm46bGF0Y2hrZXk6azd\\nxd20ybW5wcjl4aHRidiIsImp0aSI6"
    "ImxmXzAxOWNlZDNlLTZhNDAtNzAwMC04MDA\\nwLTVhMWIyYzNkNGU1ZiIsImlhdCI6MTgwMzg5MzQwMCwicmVuZXdBZnRlciI6M"
    "Tg\\nwNDU0MTQwMCwiZXhwIjoxODA2NDg1NDAwLCJwdXJwb3NlIjoiZ3JhY2UiLCJsaWM\\niOiJuOGFGTEZUNks5NUlhVEY2dWd"
    "KRnBkIiwia2V5SGludCI6IjZXRkdKIiwiZnA\\niOiJ1c3dpOVpNS3FsQnpLQUFVa0V4UnRLeHk2RG0tOHBkdWZyTzhsQVRlSkZV"
    "Iiw\\nicHJvZHVjdElkIjoicGFpbnQiLCJwcm9kdWN0cyI6WyJwYWludCIsImJydXNoZXM\\niXSwidmFyaWFudCI6InBybyIsIm"
    "xpY2Vuc2VUeXBlIjoicGVyLW1hY2hpbmUiLCJ\\nsaWNlbnNlRXhwaXJlc0F0IjpudWxsLCJtYXhNYWNoaW5lcyI6MywiaG9zdG5"
    "hbWU\\niOiJTdHVkaW8gbGFwdG9wIn0.Gy0-Njy7b-sQhkc19Su02qV4vL7ToL6Zyxlwo8E\\nS-kxPxiJyvmYwirY74aNVvRm8M"
    "e9hU5L0g4OB3qJx57FwBQ\\n-----END LATCHKEY LICENSE-----\\n\"";
