import { createElement, use, type ComponentType } from 'react';

/** A component whose code is fetched at its first render, or before by `bring`. */
export type Later<Props> = ComponentType<Props> & {
  /** Fetches the code beforehand. Failures are reported at render. */
  bring: () => Promise<void>;
  isHere: () => boolean;
};

/** React reads a failure several times before passing it to a boundary. */
const FORGET_MS = 1_000;

/** The only export of a module; never if it has several. */
type OnlyExport<Module> = {
  [Name in keyof Module]: [Exclude<keyof Module, Name>] extends [never] ? Module[Name] : never;
}[keyof Module];

type PropsOf<Component> =
  Component extends ComponentType<infer Props extends object> ? Props : never;

/** Makes a component from the only export of a module, which is loaded at the first render. */
export function later<Module extends object>(
  load: () => Promise<Module>,
): Later<PropsOf<OnlyExport<Module>>> {
  type Props = PropsOf<OnlyExport<Module>>;
  let known: ComponentType<Props> | undefined;
  let shown: Promise<ComponentType<Props>> | undefined;
  const arrive = async () => {
    const [component] = Object.values(await load()) as readonly ComponentType<Props>[];
    if (!component) throw new Error('a module has no component');
    return (known = component);
  };
  const arriveShown = () => {
    const arriving = arrive();
    // A failure is thrown to the renderer and retried at the next render.
    arriving.catch(() => setTimeout(() => (shown = undefined), FORGET_MS));
    return arriving;
  };
  // Loaded code renders at once; React's `lazy` would wait for a promise.
  const Piece = (props: Props) => createElement(known ?? use((shown ??= arriveShown())), props);
  return Object.assign(Piece, {
    bring: async () => {
      if (!known) await arrive().catch(() => undefined);
    },
    isHere: () => known !== undefined,
  });
}
