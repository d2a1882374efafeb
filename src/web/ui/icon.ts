import { createElement, type ReactElement, type SVGProps } from 'react';

type IconData = { node: readonly (readonly [tag: string, attributes: object])[] };
type IconProps = SVGProps<SVGSVGElement> & { size?: number };

/** Makes the component of a lucide icon, in place of lucide's own function, which is ten times as long. */
export const createIcon =
  ({ node }: IconData): ((props: IconProps) => ReactElement) =>
  ({ size = 24, ...props }) =>
    createElement(
      'svg',
      {
        width: size,
        height: size,
        viewBox: '0 0 24 24',
        fill: 'none',
        stroke: 'currentColor',
        strokeWidth: 2,
        strokeLinecap: 'round',
        strokeLinejoin: 'round',
        'aria-hidden': 'aria-label' in props ? undefined : true,
        ...props,
      },
      ...node.map(([tag, attributes]) => createElement(tag, attributes)),
    );
