import type { ComponentType } from 'react';

export type Prop = { name: string; type: string; default?: string; about: string };

/** A piece of the kit in the gallery; defined in `stories/<id>.story.tsx`. */
export type Piece = {
  /** Kebab-case; its address is `/__galeri/<id>`. */
  id: string;
  title: string;
  about: string;
  props: readonly Prop[];
  Demo: ComponentType;
};
