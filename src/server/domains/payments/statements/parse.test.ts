import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Statement, LINES_MAX, parseStatement } from './parse.ts';

const OURS = '8800123456';
const TODAY = '2026-11-23';

const parse = (text: string | Uint8Array) =>
  parseStatement(typeof text === 'string' ? Buffer.from(text) : text, { bank: OURS, today: TODAY });

function read(text: string | Uint8Array): Statement {
  const statement = parse(text);
  if ('no' in statement) throw new Error(`no statement: ${statement.no}`);
  return statement;
}

const inShort = (text: string | Uint8Array) =>
  read(text).lines.map((line) => {
    if (line.kind === 'credit') return [line.number, line.day, line.amount, line.description];
    return line.kind === 'unreadable' ? [line.number, line.reason] : [line.number, line.kind];
  });

const bca = `"Account No.","=","'8800123456"
"Name","=","PT KABARI CONTOH"
"Currency","=","IDR"
"Period","=","20/12/2025 - 05/01/2026"

"Date","Description","Branch","Amount","","Balance"
"'31/12","TRSF E-BANKING CR 3112/FTSCY/WS95031        50123.00ANI SUPRIHATINI","'0000","50,123.00","CR","1,500,123.00"
"'02/01","SWITCHING CR TRANSFER DR 008 BUDI
SANTOSO ","'7777","1,100,045.00","CR","2,600,168.00"
"'02/01","BIAYA ADM","'0000","12,500.00","DB","2,587,668.00"
"PEND","TRSF E-BANKING CR 0501/FTSCY/WS95031 CITRA","'0000","75,001.00","CR",""
"Starting Balance","=","1,450,000.00"
"Credit","=","1,150,168.00"
"Debet","=","12,500.00"
"Ending Balance","=","2,587,668.00"
`;

describe('a statement of', () => {
  test('KlikBCA Individu: the year from the period, apostrophes, DB and CR in a column without a name', () => {
    const { account, period, format } = read(bca);
    expect({ account, period, format }).toEqual({
      account: OURS,
      period: { from: '2025-12-20', to: '2026-01-05' },
      format: 'bca',
    });
    expect(inShort(bca)).toEqual([
      [7, '2025-12-31', 50_123, 'TRSF E-BANKING CR 3112/FTSCY/WS95031 50123.00ANI SUPRIHATINI'],
      [8, '2026-01-02', 1_100_045, 'SWITCHING CR TRANSFER DR 008 BUDI SANTOSO'],
      [10, 'debit'],
      [11, 'pending'],
    ]);
    const [first, , out] = read(bca).lines;
    expect(out).toMatchObject({ kind: 'debit', day: '2026-01-02', amount: -12_500 });
    expect(first).toMatchObject({
      at: new Date('2025-12-30T17:00:00Z'),
      reference: '',
      place: '1500123.00#0',
    });
  });

  test('KlikBCA Individu without a period: the newest such day that is not in the future', () => {
    const text = `Account No.,=,'8800123456
Name,=,PT KABARI CONTOH
Currency,=,IDR

Date,Description,Branch,Amount,,Balance
'23/11,TRSF E-BANKING CR ANI,'0000,50123.00,CR,1500123.00
'24/11,TRSF E-BANKING CR BUDI,'0000,50124.00,CR,1550247.00
Starting Balance,=,1450000.00
`;
    expect(inShort(text)).toEqual([
      [6, '2026-11-23', 50_123, 'TRSF E-BANKING CR ANI'],
      [7, expect.stringMatching(/^Tahunnya tidak tertulis/)],
    ]);
    const early = { bank: OURS, today: '2027-01-02' };
    const [first] = (parseStatement(Buffer.from(text), early) as Statement).lines;
    expect(first).toMatchObject({ day: '2026-11-23' });
  });

  test('KlikBCA Bisnis: CR and DB after the amount, unquoted head', () => {
    const text = `Informasi Rekening - Mutasi Rekening
No. rekening : 8800-123-456
Nama : PT KABARI CONTOH
Periode : 01/11/2026 - 21/11/2026
Kode Mata Uang : IDR

Tanggal Transaksi,Keterangan,Cabang,Jumlah,Saldo
21/11/2026,TRSF E-BANKING CR ANI,0000,"50,123.00 CR","1,500,123.00"
21/11/2026,BI-FAST DB BIF TRANSFER KE,0938,"2,500.00 DB","1,497,623.00"
Saldo Awal : 1,450,000.00
Mutasi Kredit : 50,123.00
`;
    expect(read(text)).toMatchObject({ format: 'bca_business', account: OURS });
    expect(inShort(text)).toEqual([
      [8, '2026-11-21', 50_123, 'TRSF E-BANKING CR ANI'],
      [9, 'debit'],
    ]);
  });

  test('Mandiri: two descriptions, separate debit and credit, the account in every row', () => {
    const text = `Account No,Date,Val. Date,Transaction Code,Description,Description,Reference No.,Debit,Credit,
8800123456,21/11/26,21/11/26,7014,"MCM InhouseTrf DARI ANI
SUPRIHATINI","Transfer Fee","ID2611210091",".00","50,123.00",
8800123456,21/11/26,21/11/26,7014,"MCM InhouseTrf DARI BUDI","","-","75.000,00",".00",
9911223344,21/11/26,21/11/26,7014,"BUKAN KAMI","","",".00","10,000.00",
`;
    expect(read(text)).toMatchObject({ format: 'mandiri', account: OURS });
    expect(inShort(text)).toEqual([
      [2, '2026-11-21', 50_123, 'MCM InhouseTrf DARI ANI SUPRIHATINI Transfer Fee'],
      [4, 'debit'],
      [5, 'Baris ini milik rekening lain.'],
    ]);
    expect(read(text).lines[0]).toMatchObject({ reference: 'ID2611210091', place: '#0' });
  });

  test('Livin: a bilingual head with the currency, a sign before the amount', () => {
    const text = `Nomor Rekening/Account Number,880-01-2345-6

No,Tanggal,Keterangan,Nominal (IDR),Saldo (IDR)
No,Date,Remarks,Amount (IDR),Balance (IDR)
1,21 Nov 2026,Transfer dari ANI,"+50.123,00","1.500.123,00"
2,21 Nov 2026,Biaya transfer,"-2.500,00","1.497.623,00"
`;
    expect(read(text)).toMatchObject({ account: OURS });
    expect(inShort(text)).toEqual([
      [5, '2026-11-21', 50_123, 'Transfer dari ANI'],
      [6, 'debit'],
    ]);
  });

  test('Mandiri, saved by Excel: the account’s number is rounded, so it is ignored', () => {
    const text = `Account No;Date;Description;Debit;Credit
8,80012E+09;21/11/2026;DARI ANI;0,00;50.123,00
`;
    expect(read(text).account).toBeUndefined();
    expect(inShort(text)).toEqual([[2, '2026-11-21', 50_123, 'DARI ANI']]);
    const above = `No. rekening : 8,80012E+09;;\nTanggal;Keterangan;Jumlah\n21/11/2026;ANI;50.123 CR\n`;
    expect(read(above).account).toBeUndefined();
  });

  test('BRI: semicolons, technical names, time of day', () => {
    const text = `NOREK;TGL_TRAN;TGL_EFEKTIF;JAM_TRAN;KODE_TRAN;DESK_TRAN;SALDO_AWAL_MUTASI;MUTASI_DEBET;MUTASI_KREDIT;SALDO_AKHIR_MUTASI
8800123456;2026-11-21;2026-11-21;09:17:31;8701;BRIMO ANI KE KABARI;1450000.00;0.00;50123.00;1500123.00
8800123456;2026-11-21;2026-11-21;10:02:00;8701;ATM DB;1500123.00;50000.00;0.00;1450123.00
`;
    expect(read(text).format).toBe('bri');
    expect(inShort(text)).toEqual([
      [2, '2026-11-21', 50_123, 'BRIMO ANI KE KABARI'],
      [3, 'debit'],
    ]);
    expect(read(text).lines[0]).toMatchObject({ at: new Date('2026-11-21T02:17:31Z') });
  });

  test('BRI as its internet banking shows it: teller, debit and credit with dots', () => {
    const text = `Nomor Rekening : 8800123456
Periode : November 2026

Tanggal Transaksi;Uraian Transaksi;Teller;Debet;Kredit;Saldo
21/11/26 09:17:31;BRIMO ANI;8888;0,00;50.123,00;1.500.123,00
`;
    expect(read(text)).toMatchObject({ period: { from: '2026-11-01', to: '2026-11-30' } });
    expect(inShort(text)).toEqual([[5, '2026-11-21', 50_123, 'BRIMO ANI']]);
  });

  test('BNI: a mark D or K in its own column, a journal number', () => {
    const text = `Account Number,8800123456
Post Date,Branch,Journal No.,Description,Amount,DB/CR,Balance
21/11/2026 09.17.31,0259,123456,TRF/PAY/TOP-UP ECHANNEL ANI,"50.123",K,"1.500.123"
21/11/2026 09.18.31,0259,123457,BIAYA,"6.500",D,"1.493.623"
21/11/2026 09.19.31,0259,123458,APA INI,"6.500",X,"1.493.623"
`;
    expect(read(text)).toMatchObject({ format: 'bni', account: OURS });
    expect(inShort(text)).toEqual([
      [3, '2026-11-21', 50_123, 'TRF/PAY/TOP-UP ECHANNEL ANI'],
      [4, 'debit'],
      [5, 'Tidak jelas apakah uang masuk atau keluar.'],
    ]);
    expect(read(text).lines[0]).toMatchObject({ reference: '123456' });
  });
});

const simple = (rows: string, head = 'Tanggal;Keterangan;Jumlah;DB/CR;Saldo') =>
  `${head}\n${rows}\n`;

describe('variations of files:', () => {
  test.each([
    ['a mark of UTF-8', '\uFEFF'],
    ['blank lines before', '\r\n\r\n'],
  ])('%s changes nothing', (_what, before) => {
    expect(
      inShort(before + simple('21/11/2026;ANI;50.123,00;CR;1'))
        .at(0)
        ?.slice(1),
    ).toEqual(['2026-11-21', 50_123, 'ANI']);
  });

  test('latin-1 and UTF-16 are read', () => {
    const text = simple('21/11/2026;RENÉ;50.123,00;CR;1');
    expect(inShort(Buffer.from(text, 'latin1'))[0]?.[3]).toBe('RENÉ');
    expect(inShort(Buffer.from(`\uFEFF${text}`, 'utf16le'))[0]?.[3]).toBe('RENÉ');
  });

  test('a description wrapped to another row belongs to the row above', () => {
    const text = simple('21/11/2026;TRANSFER;50.123,00;CR;1\n;DARI ANI;;;\n;Saldo Akhir;;;');
    expect(inShort(text)).toEqual([[2, '2026-11-21', 50_123, 'TRANSFER DARI ANI']]);
  });

  test.each([
    ['50,123.00', 50_123],
    ['50.123,00', 50_123],
    ['50123.00', 50_123],
    ['50123', 50_123],
    ['50.123', 50_123],
    ['1.050.123', 1_050_123],
    ['Rp 50.123', 50_123],
    ['+50,123.00', 50_123],
    ['50.123,0', 50_123],
  ])('%s is Rp %i', (written, amount) => {
    expect(inShort(simple(`21/11/2026;ANI;"${written}";CR;1`))[0]?.[2]).toBe(amount);
  });

  test.each([
    ['50,123.45', 'Jumlahnya memuat sen. Saldo hanya mengenal rupiah bulat.'],
    ['1.23.456', 'Jumlahnya tidak dapat dibaca.'],
    ['1e9', 'Jumlahnya tidak dapat dibaca.'],
    ['0x10', 'Jumlahnya tidak dapat dibaca.'],
    ['99.999.999.999.999.999', 'Jumlahnya tidak dapat dibaca.'],
    ['NaN', 'Jumlahnya tidak dapat dibaca.'],
    ['', 'Jumlahnya tidak dapat dibaca.'],
    ['0,00', 'Jumlahnya nol.'],
    ['-50.123', 'Jumlahnya negatif.'],
    ['50.123 DB', 'Tidak jelas apakah uang masuk atau keluar.'],
  ])('an amount of %s is refused, and says why', (written, reason) => {
    expect(inShort(simple(`21/11/2026;ANI;${written};CR;1`))).toEqual([[2, reason]]);
  });

  test.each([
    ['31/02/2026', 'Tanggalnya tidak dapat dibaca. Urutannya harus hari, bulan, tahun.'],
    ['21/13/2026', 'Tanggalnya tidak dapat dibaca. Urutannya harus hari, bulan, tahun.'],
    ['kemarin', 'Tanggalnya tidak dapat dibaca. Urutannya harus hari, bulan, tahun.'],
    ['11/23/2026', 'Tanggalnya tidak dapat dibaca. Urutannya harus hari, bulan, tahun.'],
    [
      '21/05',
      'Tahunnya tidak tertulis, dan tidak dapat ditentukan. Unduh mutasi yang menyebut periodenya.',
    ],
  ])('a date of %s is refused, and says why', (written, reason) => {
    expect(inShort(simple(`${written};ANI;50.123;CR;1`))).toEqual([[2, reason]]);
  });

  test.each([
    '21/11/2026',
    '21-11-26',
    '2026-11-21',
    '20261121',
    '21 Nov 2026',
    '21 November 2026',
  ])('%s is a date', (written) => {
    expect(inShort(simple(`${written};ANI;50.123;CR;1`))[0]?.[1]).toBe('2026-11-21');
  });

  test('a row with more cells than the head is refused: its amount may be another cell', () => {
    const text = simple('21/11/2026,ANI,50,123.00,CR,1', 'Tanggal,Keterangan,Jumlah,DB/CR,Saldo');
    expect(inShort(text)).toEqual([[2, 'Jumlah kolomnya tidak sama dengan judul tabel.']]);
  });

  test('an unclosed quote does not affect other lines', () => {
    const text = simple(
      ['21/11/2026;"ANI 5" PIPA;10.001;CR;', '21/11/2026;"BUDI;10.002;CR;']
        .concat(Array.from({ length: 40 }, (_, n) => `22/11/2026;LINE ${n};${11_000 + n};CR;`))
        .join('\n'),
    );
    expect(inShort(text).slice(0, 3)).toEqual([
      [2, '2026-11-21', 10_001, '"ANI 5" PIPA'],
      [3, '2026-11-21', 10_002, '"BUDI'],
      [4, '2026-11-22', 11_000, 'LINE 0'],
    ]);
    expect(inShort(text)).toHaveLength(42);
  });

  describe('balances', () => {
    const rows = (...some: string[]) => simple(some.join('\n'));
    const days = (text: string) =>
      read(text).days.map(({ day, opening, closing, credits, isLast }) => [
        day,
        opening,
        closing,
        credits,
        isLast,
      ]);
    const file = [
      '20/11/2026;ANI;50.123;CR;150.123',
      '20/11/2026;ADM;6.500;DB;143.623',
      '21/11/2026;BUNGA;123,45;CR;143.746,45',
      '21/11/2026;BUDI;10.000;CR;153.746,45',
    ];

    test('of each day are those before and after its rows, in either order', () => {
      const expected = [
        ['2026-11-20', 10_000_000n, 14_362_300n, 50_123, false],
        ['2026-11-21', 14_362_300n, 15_374_645n, 10_000, true],
      ];
      expect(days(rows(...file))).toEqual(expected);
      expect(days(rows(...file.toReversed()))).toEqual(expected);
    });

    test('that do not add up refuse the file, with the line', () => {
      for (const [place, from, to] of [
        [0, '50.123;CR', '50.124;CR'],
        [1, '6.500;DB', '6.501;DB'],
        [2, '143.746,45', '143.746,46'],
        [3, '10.000;CR', '100.000;CR'],
      ] as const) {
        const changed = file.map((one, at) => (at === place ? one.replace(from, to) : one));
        const isFirst = place === 0;
        // The balance before the first row is unknown.
        expect(parse(rows(...changed))).toMatchObject(
          isFirst ? { lines: expect.anything() } : { no: 'unbalanced' },
        );
      }
      expect(
        parse(rows(...file.slice(0, 2), '20/11/2026;PALSU;7.000;CR;150.623', ...file.slice(2))),
      ).toEqual({
        no: 'unbalanced',
        line: 5,
      });
    });

    test('omitted in some rows are summed over those rows', () => {
      const sparse = file.map((one, at) => (at % 2 === 0 ? one.replace(/;[^;]*$/, ';') : one));
      expect(read(rows(...sparse)).lines).toHaveLength(4);
      const changed = sparse.map((one) =>
        one.replace('50.123', '60.123').replace('123,45', '124,45'),
      );
      expect(parse(rows(...changed))).toMatchObject({ no: 'unbalanced' });
    });
  });

  describe('balances of', () => {
    const days = (...rows: string[]) =>
      read(simple(rows.join('\n'))).days.map(({ day, opening, closing, credits, isLast }) => [
        day.slice(8),
        opening,
        closing,
        credits,
        isLast,
      ]);

    test('a day that occurs twice are unknown, and its credits are summed', () => {
      expect(
        days(
          '20/11/2026;ANI;100;CR;1.100',
          '21/11/2026;BUDI;200;CR;1.300',
          '20/11/2026;CITRA;300;CR;1.600',
        ),
      ).toEqual([
        ['20', null, null, 400, false],
        ['21', 110_000n, 130_000n, 200, true],
      ]);
    });

    test('an unreadable row are taken as they are, and later ones follow from it', () => {
      const rows = [
        '20/11/2026;ANI;100;CR;1.100',
        '20/11/2026;BUDI;rusak;CR;5.000',
        '21/11/2026;CITRA;200;DB;4.800',
      ] as const;
      expect(days(...rows)).toEqual([
        ['20', 100_000n, 500_000n, 100, false],
        ['21', 500_000n, 480_000n, 0, true],
      ]);
      expect(parse(simple([...rows, '21/11/2026;DEWI;100;CR;4.800'].join('\n')))).toEqual({
        no: 'unbalanced',
        line: 5,
      });
    });

    test('a row without a day still come from the bank', () => {
      expect(
        days(
          '20/11/2026;ANI;100;CR;1.100',
          'kemarin;BUDI;50;CR;1.150',
          '21/11/2026;CITRA;200;CR;1.350',
        ),
      ).toEqual([
        ['20', 100_000n, 110_000n, 100, false],
        ['21', 115_000n, 135_000n, 200, true],
      ]);
    });

    test('rows without them follow from the row before, or are unknown', () => {
      expect(
        days(
          '19/11/2026;ANI;100;CR;',
          '20/11/2026;BUDI;100;CR;1.100',
          '20/11/2026;CITRA;200;CR;',
          '21/11/2026;DEWI;50;DB;',
        ),
      ).toEqual([
        ['19', null, null, 100, false],
        ['20', 100_000n, 130_000n, 300, false],
        ['21', 130_000n, 125_000n, 0, true],
      ]);
    });

    test('an overdrawn account are negative', () => {
      expect(
        days('20/11/2026;ADM;100;DB;-50', '21/11/2026;ANI;200;CR;150', '21/11/2026;ADM;150;DB;0'),
      ).toEqual([
        ['20', 5_000n, -5_000n, 0, false],
        ['21', -5_000n, 0n, 200, true],
      ]);
    });
  });

  test('distinguishes equal lines of a day by their place', () => {
    const row = '21/11/2026;ANI;50.123;CR;';
    const places = read(simple([row, row, row].join('\n'))).lines.map((line) =>
      line.kind === 'credit' ? line.place : undefined,
    );
    expect(places).toEqual(['#0', '#1', '#2']);
  });
});

describe('a file', () => {
  test('of another account is refused, by its head or its rows', () => {
    const head = bca.replace('8800123456', '1234567890');
    expect(parse(head)).toEqual({ no: 'other account', account: '1234567890' });
    const rows = 'Account No,Date,Description,Debit,Credit\n1234567890,21/11/26,ANI,.00,1.00\n';
    expect(parse(rows)).toEqual({ no: 'other account', account: '1234567890' });
  });

  test('that is not a statement, or is empty, is refused', () => {
    for (const text of ['', 'halo', 'a,b,c\n1,2,3\n', '\0\0\0', '{"a":1}', '\n'.repeat(9_000)]) {
      expect(parse(text)).toEqual({ no: 'unknown' });
    }
  });

  test('with too many lines is refused', () => {
    const rows = '21/11/2026;ANI;50.123;CR;1\n'.repeat(LINES_MAX + 1);
    expect(parse(simple(rows))).toEqual({ no: 'too long' });
  });

  test('of hostile bytes is answered, with lines that the database can store', () => {
    const hostile = [
      simple(`21/11/2026;${'A'.repeat(2_000_000)};50.123;CR;1`),
      simple(`21/11/2026;${'"'.repeat(1_000_000)};50.123;CR;1`),
      simple(`21/11/2026;${';'.repeat(2_000_000)}`),
      simple('"x;'.repeat(500_000)),
      simple('"x\n'.repeat(500_000)),
      simple(`21/11/2026;A\0B\u202E\uD800C;50.123;CR;1\n21/11/2026;=HYPERLINK("x");50.124;CR;1`),
    ];
    for (const text of hostile) {
      const statement = parse(text);
      if ('no' in statement) continue;
      for (const line of statement.lines) {
        expect(line.description.isWellFormed()).toBe(true);
        expect(line.description).not.toMatch(/\p{Cc}/u);
        expect(line.description.length).toBeLessThanOrEqual(1_000);
      }
    }
  });

  test('never throws, and never invents an amount', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '21/11/2026', 'CR', '50.123', '\n', ';'),
    );
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 12 }), (rows) => {
        const text = simple(rows.map((cells) => cells.join(';')).join('\n'));
        const statement = parse(text);
        if ('no' in statement) return;
        for (const line of statement.lines) {
          if (line.kind !== 'credit') continue;
          expect(Number.isSafeInteger(line.amount) && line.amount > 0).toBe(true);
          expect(text.replace(/\D/g, '')).toContain(String(line.amount));
        }
      }),
      { numRuns: 300 },
    );
  });
});
