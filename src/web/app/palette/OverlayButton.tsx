import type { LucideIcon } from 'lucide-react';
import { openOverlay, type Overlay } from '#web/app/palette/overlay.ts';
import { Tooltip } from '#web/ui/overlay/Tooltip.tsx';

type Props = {
  opens: Overlay;
  label: string;
  /** In the syntax of `aria-keyshortcuts`. */
  keys: string;
  Icon: LucideIcon;
  className: string | undefined;
};

export const OverlayButton = ({ opens, label, keys, Icon, className }: Props) => (
  <Tooltip text={label}>
    <button
      type="button"
      className={className}
      aria-label={label}
      aria-haspopup="dialog"
      aria-keyshortcuts={keys}
      onClick={() => openOverlay(opens)}
    >
      <Icon size={18} aria-hidden="true" />
    </button>
  </Tooltip>
);
