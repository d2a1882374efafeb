import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A piece whose code is fetched when it is shown first, or before, by `bring`. */
export type Later<Props> = LazyExoticComponent<ComponentType<Props>> & {
  /** Fetches it, for who wants it beside its data and not after them. What fails is reported when shown. */
  bring: () => void;
};

/** Makes a piece of code that comes when it is first rendered. */
export const later = <Props>(load: () => Promise<ComponentType<Props>>): Later<Props> =>
  Object.assign(
    lazy(async () => ({ default: await load() })),
    {
      bring: () => void load().catch(() => undefined),
    },
  );
