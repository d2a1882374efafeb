import {
  createElement,
  use,
  type ComponentPropsWithRef,
  type ElementType,
  type MouseEvent,
} from 'react';
import { goTo, hrefOf, preload, type How, type Target } from './navigation.ts';
import { SearchContext } from './Router.tsx';
import { painted } from '#web/browser/scheduling/painted.ts';
import type { Path } from './routes.ts';

type Destination<P extends Path> =
  | (Target<P> & { href?: undefined })
  | { href: string; to?: undefined };

type Props<P extends Path, Anchor extends ElementType> = Destination<P> &
  How &
  Omit<ComponentPropsWithRef<Anchor>, keyof Target<P> | 'href'>;

/** The same for an `<a>`, whose own attributes have precedence. */
type Given<P extends Path> = Partial<Target<P>> & How & ComponentPropsWithRef<'a'>;

/** True if the browser must handle the click: a new tab, a download, another window. */
const isBrowsers = (event: MouseEvent<HTMLAnchorElement>): boolean =>
  event.defaultPrevented ||
  event.button !== 0 ||
  event.metaKey ||
  event.ctrlKey ||
  event.shiftKey ||
  event.altKey ||
  !['', '_self'].includes(event.currentTarget.target) ||
  event.currentTarget.hasAttribute('download');

/** After the frame: a tap points and presses at once, and a fetch delays a phone's answer. */
const preloadAfterAnswer = (href: string) => void painted().then(() => preload(href));

/** Makes a link within the app from a component that renders an `<a>`. Hovering preloads the page. */
export const createLink = <Anchor extends ElementType>(anchor: Anchor) =>
  function AppLink<P extends Path>(props: Props<P, Anchor>) {
    const {
      to,
      search,
      change,
      hash,
      href: given,
      replace,
      resetScroll,
      ...rest
    } = props as Given<P>;
    // Rerenders when the query it changes has changed.
    if (change) use(SearchContext);
    const hrefNow = () => given ?? (to ? hrefOf({ to, search, change, hash }) : '');
    const href = hrefNow();
    return createElement(anchor as ElementType<ComponentPropsWithRef<'a'>>, {
      ...rest,
      href,
      onClick: (event) => {
        rest.onClick?.(event);
        if (isBrowsers(event)) return;
        event.preventDefault();
        void goTo(hrefNow(), { replace, resetScroll });
      },
      onPointerEnter: (event) => {
        rest.onPointerEnter?.(event);
        preloadAfterAnswer(href);
      },
      onFocus: (event) => {
        rest.onFocus?.(event);
        preloadAfterAnswer(href);
      },
    });
  };

export const Link = createLink('a');
