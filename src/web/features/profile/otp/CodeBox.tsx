import { Resend } from '#web/features/auth/auth.ts';
import type { SentCode } from '#web/api/sentCode.ts';
import { SimulatorHint } from '#web/features/auth/auth.ts';
import { OtpField } from '#web/ui/form/OtpField.tsx';

type Props = {
  label: string;
  name: string;
  code: SentCode;
  value: string;
  error?: string | undefined;
  first?: boolean;
  onChange: (digits: string) => void;
  onSent: (code: SentCode) => void;
  onError: (error: unknown) => void;
};

// React does not render autoFocus as an attribute, and `<dialog>` looks for the attribute.
const startHere = (input: HTMLInputElement | null) => input?.setAttribute('autofocus', '');

export function CodeBox({ code, first = false, onSent, onError, ...field }: Props) {
  return (
    <div className="stack gap-6">
      <OtpField
        {...field}
        {...(first && { ref: startHere })}
        required
        size="lg"
        help={`Enam angka yang kami kirim ke ${code.sentTo}.`}
      />
      <Resend small what={field.label} onWait={onSent} {...{ code, onSent, onError }} />
      <SimulatorHint small phone={code.phone} />
    </div>
  );
}
