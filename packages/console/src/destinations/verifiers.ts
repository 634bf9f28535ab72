/**
 * Functions that verify an event in five languages without a dependency, for the receiver of a new secret. Each takes
 * the raw body, the headers by lower-case name and the secret, and returns whether the request is genuine and recent.
 * docs/shops/events.md has the same texts.
 */

export interface Verifier {
  readonly language: string;
  readonly code: string;
}

export const VERIFIERS: readonly Verifier[] = [
  {
    language: 'JavaScript',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(body, headers, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= 300)) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${sentAt}.\`).update(body).digest();
  return String(signatures).split(' ').some((each) => {
    const given = Buffer.from(each.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`,
  },
  {
    language: 'Python',
    code: `import base64, hashlib, hmac, time

def is_genuine(body: bytes, headers, secret: str) -> bool:
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(each, expected) for each in given)`,
  },
  {
    language: 'Go',
    code: `import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func isGenuine(body []byte, headers http.Header, secret string) bool {
	sentAt := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	key, badKey := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || badKey != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(headers.Get("webhook-id") + "." + sentAt + "."))
	mac.Write(body)
	for _, each := range strings.Split(headers.Get("webhook-signature"), " ") {
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(each, "v1,"))
		if err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return true
		}
	}
	return false
}`,
  },
  {
    language: 'PHP',
    code: `function is_genuine(string $body, array $headers, string $secret): bool
{
    $sentAt = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signed = ($headers['webhook-id'] ?? '') . '.' . $sentAt . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $each) {
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}`,
  },
  {
    language: 'Ruby',
    code: `require "openssl"

def genuine?(body, headers, secret)
  sent_at = headers["webhook-timestamp"].to_s
  return false if (Time.now.to_i - sent_at.to_i).abs > 300
  key = secret.delete_prefix("whsec_").unpack1("m")
  signed = "#{headers["webhook-id"]}.#{sent_at}.#{body}"
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0")
  headers["webhook-signature"].to_s.split(" ").any? { |each| OpenSSL.secure_compare(each, expected) }
end`,
  },
];
