import { ChevronLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '#web/ui/classes.ts';

type Props = {
  title: ReactNode;
  under?: ReactNode;
  onBack?: () => void;
  children?: ReactNode;
};

export const PhoneHead = ({ title, under, onBack, children }: Props) => (
  <div className="row gap-4 flex-none py-6 px-10 border-b surface min-h-60">
    {onBack && (
      <PhoneTool label="Kembali ke daftar percakapan" onClick={onBack}>
        <ChevronLeft size={22} />
      </PhoneTool>
    )}
    <div className={classes('fill', !onBack && 'ps-12')}>
      <h2 className="large num">{title}</h2>
      {under && <p className="tiny faint num">{under}</p>}
    </div>
    {children}
  </div>
);

type ToolProps = { label: string; onClick: () => void; children: ReactNode };

export const PhoneTool = ({ label, onClick, children }: ToolProps) => (
  <button
    type="button"
    className="place-center flex-none muted size-44 rounded-full hover-ink"
    aria-label={label}
    title={label}
    onClick={onClick}
  >
    {children}
  </button>
);
