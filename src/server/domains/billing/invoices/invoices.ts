import type { ActHandler } from '#server/infra/acts/act.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import {
  type ServedDocument,
  invoicePdfHandler,
  openDocument,
  verifyDocument,
} from './document.ts';
import { type PayPorts, payInvoiceHandler } from './pay.ts';
import { getBillingProfileHandler, saveBillingProfileHandler } from './profile.ts';
import { getInvoiceHandler, listInvoicesHandler } from './read.ts';
import { type ServedStatement, exportSaldoHandler, openStatement } from './statement/export.ts';
import { type VerifiedDocument, findVerified } from './verify.ts';

export type InvoicesDeps = {
  /** Sees one account at a time. */
  sql: Sql;
  /** Sees all: whoever has a document's QR verifies it, whoever they are. */
  allAccountsSql: Sql;
  secrets: Secrets;
  config: Pick<Config, 'PAID_STAMP_OVER_5M'>;
  /** The portal's own address, as people open it. */
  origin: () => string;
  now: () => Date;
};

type Address = { id: string; key: string };

/** Invoices and statements, as acts and as what is downloaded. */
export type Invoices = {
  acts: (ports: PayPorts) => readonly ActHandler[];
  documents: {
    verify: (address: Address) => { accountId: string; fileId: string } | undefined;
    open: (accountId: string, invoiceId: string) => Promise<ServedDocument | undefined>;
  };
  openStatement: (address: Address) => Promise<ServedStatement | undefined>;
  /** The document behind a reference, as anybody may see it. */
  findVerified: (docRef: string) => Promise<VerifiedDocument | undefined>;
};

export const openInvoices = (deps: InvoicesDeps): Invoices => ({
  acts: (ports) => [
    listInvoicesHandler(deps),
    getInvoiceHandler(deps),
    invoicePdfHandler(deps),
    payInvoiceHandler({ ...deps, ports }),
    getBillingProfileHandler(deps),
    saveBillingProfileHandler(deps),
    exportSaldoHandler(deps),
  ],
  documents: {
    verify: (address) => verifyDocument(deps, address),
    open: (accountId, invoiceId) => openDocument(deps, { accountId, invoiceId }),
  },
  openStatement: (address) => openStatement(deps, address),
  findVerified: (docRef) => findVerified(deps.allAccountsSql, docRef),
});
