export const UnofficialRisk = () => (
  <p className="py-12 px-12 rounded text-warning bg-warning">
    Sambungan ini memakai aplikasi tidak resmi yang meniru WhatsApp Web: WhatsApp dapat membatasi
    atau memblokir nomor Anda karenanya, dan kami tidak dapat mencegahnya.
  </p>
);
