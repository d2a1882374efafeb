import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { User } from '#contract/accounts.ts';
import { peopleActs } from '#web/api/lazyApi.ts';
import { sentenceOf } from '#web/api/errors.ts';
import { useAct } from '#web/api/query.ts';
import { setTheme, type Theme } from '#web/browser/theme.ts';
import { userQuery } from '#web/api/user.ts';
import { toast } from '#web/ui/toast/toasts.ts';

/** A preference that is set by a switch: it applies at once, before the server responds. */
export type Choice = Partial<
  Pick<User, 'theme' | 'timezone' | 'sound_on' | 'sound' | 'push_on' | 'push_text' | 'keys_on'>
>;

const CHANNEL = 'kabari-user';
/** The address of a picture is valid for an hour at least. */
const PICTURE_MS = 45 * 60_000;

/** Pending choices in order, and the person as last known by the server. */
const waiting: Choice[] = [];
let confirmed: User | undefined;
/** One after the other: the later of two choices about the same preference must win. */
let last: Promise<unknown> = Promise.resolve();

export const withChoices = (user: User, choices: readonly Choice[]): User =>
  Object.assign({}, user, ...choices) as User;

function show(client: QueryClient): void {
  if (confirmed) client.setQueryData(userQuery.queryKey, withChoices(confirmed, waiting));
}

function notifyTabs(): void {
  if (!('BroadcastChannel' in globalThis)) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/**
 * Sets a preference of the signed-in person: shown at once in this tab, later in the others; reverted if the server did
 * not save it.
 *
 * @returns a promise that rejects when it was reverted.
 */
export function useChoose(): (choice: Choice) => Promise<void> {
  const client = useQueryClient();
  const update = useAct(async () => (await peopleActs()).updateUser);
  return async (choice) => {
    if (waiting.length === 0) confirmed = client.getQueryData(userQuery.queryKey);
    waiting.push(choice);
    show(client);
    const saved = last.then(() => update.perform(fieldsOf(choice)));
    last = saved.catch(() => undefined);
    try {
      confirmed = await saved;
      notifyTabs();
    } finally {
      waiting.splice(waiting.indexOf(choice), 1);
      show(client);
    }
  };
}

/** Sets the theme, for this person on every device; reports a failure to save it. */
export function useChooseTheme(): (theme: Theme) => void {
  const choose = useChoose();
  return (theme) => {
    choose({ theme }).catch((error: unknown) => toast(sentenceOf(error), { tone: 'danger' }));
  };
}

/** A choice in the act's format: switches are '1' and '0'. */
export function fieldsOf(choice: Choice): Record<string, string> {
  const pairs = Object.entries(choice).map(([name, value]): [string, string] => [
    name,
    typeof value === 'boolean' ? (value ? '1' : '0') : value,
  ]);
  return Object.fromEntries(pairs);
}

export function useTakeUser(): (user: User) => void {
  const client = useQueryClient();
  return (user) => {
    confirmed = user;
    client.setQueryData(userQuery.queryKey, withChoices(user, waiting));
    notifyTabs();
  };
}

/** Applies the person's theme in this tab, and changes from other tabs. */
export function useSameUser({ theme }: User): void {
  const client = useQueryClient();
  useQuery({
    ...userQuery,
    refetchInterval: ({ state }) => (state.data?.avatar ? PICTURE_MS : false),
  });
  useEffect(() => setTheme(theme), [theme]);
  useEffect(() => {
    if (!('BroadcastChannel' in globalThis)) return undefined;
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', () => {
      void client.invalidateQueries({ queryKey: userQuery.queryKey });
    });
    return () => channel.close();
  }, [client]);
}
