/** Texts for adding a work: what would be sent to find it, and what was found. */

import type { FoundWorks, NewWork } from '../wire';
import { onOneLine } from '../wording';

/** Return the question that the author is asked before anything is sent. */
export function question(name: string, { sent, email = '' }: FoundWorks): { message: string; detail: string } {
  return {
    message: `Look up ${name} on the network?`,
    detail: [
      'None of your bibliographies has it. At most, this will be sent:',
      sent.map(({ service, host, values, hasEmail, hasKey }) =>
        `${service === host ? service : `${service} (${host})`}: ${[...values, hasEmail && email, hasKey && 'your key'].filter(Boolean).join(', ')}`).join('\n'),
      'doi.org redirects to the registrar of the DOI (Crossref, DataCite or mEDRA), which also gets it. Nothing from your draft is sent, and no notes or file names.',
    ].join('\n\n'),
  };
}

/** Return a row of the list from which the author chooses. */
export function rowOf({ authorYear, title, origin, there }: NewWork): { label: string; description: string; detail: string } {
  return {
    label: onOneLine(authorYear || title),
    description: onOneLine(authorYear ? title : ''),
    detail: there === undefined ? `from ${origin}` : `in the bibliography already: ${there}`,
  };
}
