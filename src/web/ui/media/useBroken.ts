import { useState } from 'react';

/**
 * Whether a picture's address could not be loaded (gone, offline, refused by the page's policy): then something
 * else stands in its place. Another address is tried anew.
 */
export function useBroken(src: string | undefined) {
  const [failed, setFailed] = useState<string>();
  return {
    broken: src !== undefined && failed === src,
    /** For the picture's `onError`. */
    fail: () => setFailed(src),
    retry: () => setFailed(undefined),
  };
}
