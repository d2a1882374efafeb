import { queryOptions } from '@tanstack/react-query';
import { getScan, type LinkState, type Scan } from '#contract/scan.ts';
import { perform } from '#web/api/act.ts';
import { refusalCode } from '#web/api/errors.ts';

/** The server allows one address thirty requests a minute. */
const LOOK_MS = 2_000;
/** Before the consent the only possible change is that the link is used up elsewhere. */
const CALM_MS = 15_000;

const isEnd = (state: LinkState): boolean => state !== 'waiting' && state !== 'scanned';

/** The poll interval of a link; `false` when it has ended. */
export function pollIntervalMs(
  scan: Scan | undefined,
  gone: boolean,
  agreed: boolean,
): number | false {
  if (gone || (scan && isEnd(scan.state))) return false;
  return agreed ? LOOK_MS : CALM_MS;
}

/** Used up, expired, altered, or another browser's: the link is no longer valid. */
export const isGone = (error: unknown): boolean => {
  const code = refusalCode(error);
  return code === 'link_gone' || code === 'input_invalid';
};

type Looking = {
  nonce: string | undefined;
  /** Polls on in a hidden tab: the simulated phone has its camera in another tab. */
  hidden: boolean;
};

export const scanQuery = (data: string, { nonce, hidden }: Looking) =>
  queryOptions({
    queryKey: ['scan', data, nonce],
    queryFn: ({ signal }) =>
      perform(getScan, nonce === undefined ? { data } : { data, nonce }, { signal }),
    refetchInterval: ({ state }) =>
      pollIntervalMs(state.data, isGone(state.error), nonce !== undefined),
    refetchIntervalInBackground: hidden,
    retry: (tries, error) => tries < 1 && !isGone(error),
    staleTime: 0,
    gcTime: 0,
  });
