import { businessIdOf, numberIdOf } from '#contract/dialects.ts';
import type { Token } from '#contract/tokens.ts';
import { useUser } from '#web/api/user.ts';
import styles from '#web/features/tokens/tokens.module.css';
import { CopyField } from '#web/ui/copy/CopyField.tsx';

/** Values besides the key for code written for the WhatsApp Cloud API. */
export function CloudIds({ token }: { token: Token }) {
  const { account_id } = useUser();
  return (
    <section className={styles['part']}>
      <h4>ID untuk kode WhatsApp Cloud API</h4>
      <CopyField
        look="code"
        label="ID nomor telepon"
        value={numberIdOf(token.id)}
        help="Untuk kode yang ditulis bagi WhatsApp Cloud API: ganti alamatnya dengan alamat Kabari, kedua ID dari Meta dengan yang ini, dan pakai kunci token ini."
      />
      <CopyField look="code" label="ID akun WhatsApp Business" value={businessIdOf(account_id)} />
    </section>
  );
}
