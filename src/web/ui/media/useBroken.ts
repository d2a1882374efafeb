import { useState } from 'react';

/**
 * Whether a picture failed to load (gone, offline, blocked by the CSP), so that a placeholder replaces it. A new
 * address resets it.
 */
export function useBroken(src: string | undefined) {
  const [failed, setFailed] = useState<string>();
  return {
    broken: src !== undefined && failed === src,
    fail: () => setFailed(src),
    retry: () => setFailed(undefined),
  };
}
