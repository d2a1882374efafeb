import type { WorkerMessage } from '#web/browser/push/workerMessages.ts';
import type { Tab } from '#web/service-worker/tabs.ts';

// The DOM types cover either pages or workers; these are the worker types we use.

export type Lasting = Event & { waitUntil: (work: Promise<unknown>) => void };
export type Fetching = Lasting & {
  request: Request;
  respondWith: (response: Promise<Response>) => void;
};
export type Pushing = Lasting & { data: { text: () => string } | null };
export type Clicking = Lasting & { notification: Notification; action: string };
export type Changing = Lasting & {
  oldSubscription?: PushSubscription | null;
  newSubscription?: PushSubscription | null;
};
export type WorkerTab = Tab & {
  postMessage: (word: WorkerMessage) => void;
  focus: () => Promise<unknown>;
};

type Events = {
  install: Lasting;
  activate: Lasting;
  fetch: Fetching;
  push: Pushing;
  notificationclick: Clicking;
  pushsubscriptionchange: Changing;
  message: MessageEvent<unknown>;
};

export type WorkerScope = {
  registration: ServiceWorkerRegistration;
  location: Location;
  navigator: Navigator & {
    setAppBadge?: (count: number) => Promise<void>;
    clearAppBadge?: () => Promise<void>;
  };
  clients: {
    matchAll: (options: { type: 'window'; includeUncontrolled: true }) => Promise<WorkerTab[]>;
    openWindow: (url: string) => Promise<unknown>;
    claim: () => Promise<void>;
  };
  skipWaiting: () => Promise<void>;
  addEventListener: <Kind extends keyof Events>(
    kind: Kind,
    listener: (event: Events[Kind]) => void,
  ) => void;
};
