import type { ComponentType } from 'react';

/** One property of a piece, as the gallery's table shows it. */
export type Prop = { name: string; type: string; default?: string; about: string };

/** A piece of the kit as the gallery shows it; each has a file beside the piece, `<id>.gallery.tsx`. */
export type Piece = {
  /** Kebab-case; its address is `/__galeri/<id>`. */
  id: string;
  /** The component's name. */
  title: string;
  /** What it is for, in a sentence or two. */
  about: string;
  props: readonly Prop[];
  /** Every state it can be in. */
  Demo: ComponentType;
};
