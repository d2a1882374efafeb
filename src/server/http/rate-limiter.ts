/** How many requests a token may make of this process: a bucket per token, refilled steadily. */
export type RateLimiter = {
  /** The policy as the `RateLimit-Policy` header says it. */
  policy: string;
  /** Takes one; `waitSeconds` is 0 when it may go on. */
  take: (tokenId: string) => { left: number; waitSeconds: number };
};

/** Seconds' worth of requests a token may make at once. */
const BURST_SECONDS = 2;
const TOKENS_MAX = 50_000;

/** @param perSecond requests per second and token, steadily; twice as many at once. */
export function createRateLimiter(perSecond: number, nowMs = () => performance.now()): RateLimiter {
  const burst = perSecond * BURST_SECONDS;
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    policy: `"api";q=${burst};w=${BURST_SECONDS}`,
    take: (tokenId) => {
      const now = nowMs();
      const bucket = buckets.get(tokenId) ?? { left: burst, at: now };
      // The one that has asked least lately goes first: forgetting it gives a burst to nobody else.
      buckets.delete(tokenId);
      if (buckets.size >= TOKENS_MAX) buckets.delete(buckets.keys().next().value ?? '');
      buckets.set(tokenId, bucket);
      bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) / 1000) * perSecond);
      bucket.at = now;
      if (bucket.left < 1) {
        return { left: 0, waitSeconds: Math.max(1, Math.ceil((1 - bucket.left) / perSecond)) };
      }
      bucket.left -= 1;
      return { left: Math.floor(bucket.left), waitSeconds: 0 };
    },
  };
}
