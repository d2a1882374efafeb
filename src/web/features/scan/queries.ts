import { queryOptions } from '@tanstack/react-query';
import { getScan, type LinkState, type Scan } from '#contract/scan.ts';
import { perform } from '#web/api/act.ts';
import { refusalCode } from '#web/api/errors.ts';

/** The server lets one address ask thirty times a minute. */
const LOOK_MS = 2_000;
/** Before the consent nothing happens but that the link may be used up elsewhere. */
const CALM_MS = 15_000;

/** A state that nothing follows. */
const isEnd = (state: LinkState): boolean => state !== 'waiting' && state !== 'scanned';

/** How soon to look at a link again; `false` when there is nothing more to come. */
export function lookAgain(scan: Scan | undefined, gone: boolean, agreed: boolean): number | false {
  if (gone || (scan && isEnd(scan.state))) return false;
  return agreed ? LOOK_MS : CALM_MS;
}

/** Used up, over, altered, or another browser's: the link offers nothing any more. */
export const isGone = (error: unknown): boolean => {
  const code = refusalCode(error);
  return code === 'link_gone' || code === 'input_invalid';
};

type Looking = {
  nonce: string | undefined;
  /** Goes on while another tab is in front: there the simulated phone has its camera. */
  hidden: boolean;
};

/** A scan link as it stands, looked at again and again. */
export const scanQuery = (data: string, { nonce, hidden }: Looking) =>
  queryOptions({
    queryKey: ['scan', data, nonce],
    queryFn: ({ signal }) =>
      perform(getScan, nonce === undefined ? { data } : { data, nonce }, { signal }),
    refetchInterval: ({ state }) => lookAgain(state.data, isGone(state.error), nonce !== undefined),
    refetchIntervalInBackground: hidden,
    retry: (tries, error) => tries < 1 && !isGone(error),
    staleTime: 0,
    gcTime: 0,
  });
