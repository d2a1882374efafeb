import type { LiveKind } from '#contract/events.ts';
import type { LiveAlert } from '#web/live/live.ts';
import type { EventOf } from '#web/live/patches.ts';

/** What people are told of: by a sound and words at once, by a notice when nobody has it before their eyes. */
export type News<Kind extends LiveKind> = Pick<LiveAlert<Kind>, 'kind' | 'idOf' | 'isNews'> & {
  /** `title`: whom it comes from. `url`: where it is read. */
  noticeOf: (event: EventOf<Kind>) => { tag: string; title: string; body: string; url: string };
  /** Whether somebody looks at what this address shows, in this tab. */
  isSeenAt: (url: string) => boolean;
};

/** Lines of customer service, for one of its sides. */
export type SupportNews = News<'support.message'> & {
  /** Whether an address is where such lines are read: a push does not say what it is about. */
  isAbout: (url: string) => boolean;
};
