import { useQueryClient } from '@tanstack/react-query';
import { goTo, navigate } from '#web/browser/router/navigation.ts';
import { useEffect } from 'react';
import { safeTarget, withCallback } from '#web/browser/redirect.ts';
import { saveRedirect, takeRedirect } from '#web/browser/session.ts';
import { refusalCode, sentenceOf } from '#web/api/errors.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import { useAuthState } from '#web/api/user.ts';
import { configQuery } from '#web/api/configQuery.ts';
import { choosesFirstScreen } from './firstScreen.ts';
import { isOperators } from './isOperators.ts';
import { readParams } from '#web/browser/router/search.ts';

/**
 * Redirects once the sign-in state is known: to `from` if the address has one; from an auth page to the saved path,
 * else to the first screen (`useFirstScreen`). A signed-out visitor goes from any other page to `/auth/login` with the
 * path saved, and learns that the session has ended. No redirects while the server is unreachable. An address on another (allowed) site needs a
 * confirmation: see `LeavingPage`.
 */
export function useAuthRedirect(): void {
  const client = useQueryClient();
  const { state, user, error } = useAuthState();
  const isOperator = user?.role === 'operator';
  const endedSentence = refusalCode(error) === 'not_signed_in' ? sentenceOf(error) : '';

  useEffect(() => {
    if (state === 'asking' || state === 'unreached') return;
    const { origin, pathname, search, hash } = window.location;
    const onAuth = /^\/auth(?:\/|$)/.test(pathname);
    if (state === 'nobody') {
      if (onAuth) return;
      if (endedSentence) toast(endedSentence);
      saveRedirect(pathname + search + hash);
      void navigate({ to: '/auth/login', replace: true });
      return;
    }
    const go = (path: string) => goTo(path, { replace: true });
    // The saved path may be an operator page, but another user may have signed in.
    const ofTheirs = (path: string) => (!isOperator && isOperators(path) ? '/' : path);
    const redirect = async () => {
      if (/[?&]from=/.test(search)) {
        const config = await client.ensureQueryData(configQuery).catch(() => undefined);
        const target = returnTarget(search, origin, config?.return_origins ?? []);
        if (target?.startsWith('/')) return go(ofTheirs(target));
        if (target) return go(`/leaving?to=${encodeURIComponent(target)}`);
      }
      if (!onAuth) return;
      const saved = safeTarget(takeRedirect(), origin) ?? '/';
      if (saved === '/') choosesFirstScreen.set(true);
      await go(ofTheirs(saved));
    };
    void redirect();
  }, [client, state, isOperator, endedSentence]);
}

const one = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : '';

/** The target of the parameter `from` for a signed-in user; null if there is none. */
export function returnTarget(
  query: string,
  origin: string,
  allowedOrigins: readonly string[],
): string | null {
  const params = readParams(query);
  const from = one(params.get('from'));
  // Lists use `from` for the first day of a range; only an address is a target.
  if (!/^(?:\/|https?:\/\/)/i.test(from)) return null;
  const target = safeTarget(from, origin, allowedOrigins);
  const callback = safeTarget(one(params.get('callbackUrl')), origin, allowedOrigins);
  return target === null ? null : withCallback(target, callback);
}
