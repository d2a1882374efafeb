import type { LiveKind } from '#contract/events.ts';
import type { LiveAlert } from '#web/live/live.ts';
import type { EventOf } from '#web/live/patches.ts';

/** An alert of people: a sound and an announcement at once, a notification if it is not visible in any tab. */
export type News<Kind extends LiveKind> = Pick<LiveAlert<Kind>, 'kind' | 'idOf' | 'isNews'> & {
  /** `title`: the sender. `url`: the page that shows it. */
  noticeOf: (event: EventOf<Kind>) => { tag: string; title: string; body: string; url: string };
  /** True if this tab shows the address and is in view. */
  isSeenAt: (url: string) => boolean;
};

export type SupportNews = News<'support.message'> & {
  /** True for an address where such messages are read: a push does not name its kind. */
  isAbout: (url: string) => boolean;
};
