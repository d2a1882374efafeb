import { useQueryClient } from '@tanstack/react-query';
import type { SecondFactorRequired } from '#contract/accounts.ts';
import { verifySecondFactor } from '#contract/second-factor.ts';
import { useAct } from '#web/api/query.ts';
import { enterSession } from '#web/api/user.ts';
import { FactorAnswer } from '#web/features/secondfactor/FactorAnswer.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import { PageTitle } from '#web/ui/layout/PageTitle.tsx';

type Props = {
  asked: SecondFactorRequired;
  onOver: () => void;
};

export function SecondFactorStep({ asked, onOver }: Props) {
  const client = useQueryClient();
  const give = useAct(verifySecondFactor);
  return (
    <>
      <PageTitle>Verifikasi dua langkah</PageTitle>
      <p className="mt-8 muted">
        Akun ini dijaga verifikasi dua langkah. Buktikan bahwa ini memang Anda.
      </p>
      <div className="mt-24">
        <FactorAnswer
          asked={asked.second_factor}
          answer={async (input) => enterSession(client, await give.perform(input))}
          onOver={onOver}
        />
      </div>
      <p className="mt-24 muted">
        Bukan Anda?{' '}
        <Button variant="link" onClick={onOver}>
          Kembali ke halaman masuk
        </Button>
      </p>
    </>
  );
}
