import type { Failure } from '#contract/messages.ts';
import type { Outgoing } from '#server/domains/channels/channels.ts';
import { textAt } from '#server/infra/net/json-values.ts';

export type Rest = { afterMs: number; failure: Failure };

/**
 * Templates that Meta has paused, and countries that an account may not write to: messages for them wait, and the
 * others of the number go on. Local to each process.
 */
export type Rests = {
  of(message: Rested): Rest | undefined;
  begin(message: Rested, rest: Rest): void;
  end(accountId: string): void;
};

type Rested = Pick<Outgoing, 'accountId' | 'tokenId' | 'type' | 'to' | 'body'>;

/** Leading digits of a number that name its country. */
const COUNTRY = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[1-9]\d\d)/;

const templateOf = ({ type, body }: Rested): string | undefined =>
  type === 'template'
    ? `template ${textAt(body, 'template') ?? ''} ${textAt(body, 'language') ?? ''}`
    : undefined;
const countryOf = ({ to }: Rested): string => `country ${COUNTRY.exec(to)?.[0] ?? to}`;

/** @param onTemplate reads the templates of an account again: Meta has paused one */
export function openRests(
  onTemplate: (accountId: string) => void,
  clockMs: () => number = () => performance.now(),
): Rests {
  type Begun = { untilMs: number; failure: Failure };
  const accounts = new Map<string, Map<string, Begun>>();
  return {
    of(message) {
      const rests = accounts.get(message.accountId);
      for (const key of [templateOf(message), countryOf(message)]) {
        const begun = rests?.get(`${message.tokenId} ${key}`);
        const afterMs = (begun?.untilMs ?? 0) - clockMs();
        if (begun && afterMs > 0) return { afterMs, failure: begun.failure };
      }
      return undefined;
    },
    begin(message, { afterMs, failure }) {
      const { accountId, tokenId } = message;
      const rests = accounts.get(accountId) ?? new Map<string, Begun>();
      accounts.set(accountId, rests);
      const isOfTemplate = failure === 'template_refused';
      const key = `${tokenId} ${isOfTemplate ? templateOf(message) : countryOf(message)}`;
      const isNew = (rests.get(key)?.untilMs ?? 0) <= clockMs();
      rests.set(key, { untilMs: clockMs() + afterMs, failure });
      if (isNew && isOfTemplate) onTemplate(accountId);
    },
    end(accountId) {
      const rests = accounts.get(accountId);
      for (const [key, { failure }] of rests ?? [])
        if (failure === 'template_refused') rests?.delete(key);
    },
  };
}
