import { useQueryClient } from '@tanstack/react-query';
import { goTo } from '#web/browser/router/navigation.ts';
import { useEffect } from 'react';
import { noteActions } from '#web/browser/install/install.ts';
import { setPushToken } from '#web/browser/push/pushToken.ts';
import { safeTarget } from '#web/browser/redirect.ts';
import { beforeSignOut, useUser } from '#web/api/user.ts';
import { onWorkerMessage } from '#web/browser/push/workerMessages.ts';
import { writeRecord } from '#web/browser/push/records.ts';

/**
 * For the signed-in layout: keeps this browser subscribed to push, gives the worker the data that it lacks, follows
 * clicked notices, and records usage for the install offer.
 */
export function usePush(): void {
  const client = useQueryClient();
  const { id, push_on: enabled, sound_on: sounding } = useUser();

  useEffect(() => noteActions(client), [client]);

  useEffect(
    () => beforeSignOut(async () => (await import('#web/features/push/push.ts')).leavePush()),
    [],
  );

  useEffect(() => {
    void writeRecord('sound', sounding);
  }, [id, sounding]);

  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    const start = async () => {
      const { followPush } = await import('#web/features/push/push.ts');
      if (!gone) stop = followPush(enabled);
    };
    start().catch(() => undefined);
    return () => {
      gone = true;
      stop?.();
    };
  }, [id, enabled]);

  useEffect(() => {
    const stops = [
      onWorkerMessage('renewed', ({ token }) => setPushToken(token)),
      onWorkerMessage('go', ({ url }) => {
        const path = safeTarget(url, window.location.origin);
        if (path !== null) void goTo(path);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}
