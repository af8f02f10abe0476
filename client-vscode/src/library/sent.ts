/** Texts for what would be sent, and for the results. */

import type { Fetched, FromService, Missing, Sent } from '../wire';
import { counted } from '../wording';

/** Return the question that the author is asked before anything is sent. */
export function question(missing: Missing): { message: string; detail: string } {
  const { draft, entries, withoutAbstract, unanswered, sent, email } = missing;
  return {
    message: `Look up ${counted(unanswered, 'entry', 'entries')} of ${draft} on the network?`,
    detail: [
      `${withoutAbstract} of ${counted(entries, 'entry', 'entries')} ${withoutAbstract === 1 ? 'has' : 'have'} no abstract and no full text. At most this is sent:`,
      sent.map((one) => `${one.service} (${one.host}): ${amount(one, email)}`).join('\n'),
      'Nothing of your draft is sent, no notes, no names of files. No paper is downloaded, and your bibliography is not changed.',
    ].join('\n\n'),
  };
}

function amount({ dois, titles, hasEmail, hasKey }: Sent, email = ''): string {
  return [
    dois.length > 0 && counted(dois.length, 'DOI'), titles.length > 0 && counted(titles.length, 'title'), hasEmail && email, hasKey && 'your key',
  ].filter(Boolean).join(', ');
}

/** Return all that would be sent, as a text to read. */
export function everything({ draft, sent, email = '' }: Missing): string {
  const parts = sent.map(({ service, host, dois, titles, hasEmail, hasKey }) =>
    [`## ${service} (${host})`, ...[...dois, ...titles, ...(hasEmail ? [email] : []), ...(hasKey ? ['your key'] : [])].map((one) => `- ${one}`)].join('\n'));
  return [
    `# What would be sent at most for ${draft}`,
    'A title is sent only where a DOI is missing, unknown or wrong, and a DOI that is found is sent to the others.',
    ...parts,
  ].join('\n\n').concat('\n');
}

/** Return what came back, in a sentence. */
export function cameBack({ found, failures }: Fetched): string {
  const parts = found.map(({ service, abstracts, sentences }) => `${fromService({ service, abstracts, sentences })} from ${service}`);
  const summary = parts.length > 0 ? `Found ${parts.join(', ')}.` : 'Nothing new was found.';
  return [summary, ...failures.map((one) => `${one}.`), ...(failures.length > 0 ? ['Fetch again later: it goes on from here.'] : [])].join(' ');
}

/** Return how much is from a service, such as `2 abstracts and 1 citing sentence`. */
export function fromService({ abstracts, sentences }: FromService): string {
  return [abstracts > 0 && counted(abstracts, 'abstract'), sentences > 0 && counted(sentences, 'citing sentence')].filter(Boolean).join(' and ');
}
