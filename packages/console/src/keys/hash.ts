/** The hash by which the service knows a key: SHA-256 of its text, in hexadecimal. Computed in the page. */
export async function hashOfKey(rawKey: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(rawKey));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a text already is a hash, as lists and logs show it. */
export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
