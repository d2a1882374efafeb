const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Whether an error code means that no bytes were sent over the connection. */
export const wasNeverSent = (code: string): boolean => neverSent.test(code);

/** The body of a response; undefined if it is longer than `bytesMax`. */
export async function bytesOf(response: Response, bytesMax: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
