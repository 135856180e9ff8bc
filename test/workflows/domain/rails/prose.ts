import { pick, type Roll, times } from './dice.ts'

/** Pieces of text that meet every pattern of the rails, whole and in halves. */
const fragments = (
  'This Agreement|between|and|Acme Corp. ("Provider")|(the "Customer")|Globex LLC, a Delaware company (the "Client")|shall|must not|may not|' +
  'each party|neither party|Provider|Customer|the Client|by Provider|be paid|promptly|within thirty (30) days|forty-five (54) days|' +
  '$5,000|USD 12 million|five hundred dollars|one thousand euros ($1,000)|€ 7.5k|3 per cent|twelve percent (12%)|12 months|two (2) years|' +
  '10 business days|March 3, 2026|3rd day of April, 2027|2026-05-31|03/04/2026|31.12.2026|5 users|Section 4|ISO 27001|notice of non-renewal|' +
  'renew automatically|initial term|terminate|for convenience|for cause|Exhibit A|Schedule 2|[TBD]|____|\n\n|\n|. |, |; |:|(|)|"|“|”|' +
  'effective|until|expires|monthly fee of|per month|annually|Landlord: Harbour Estates LLC|retention|backups|logs|encrypted|are kept for|' +
  'release 4.2|e.g.|Inc.|No. 7|U.S. dollars|hundred and five|twenty one|one one one|99|1,2,3|0.5%|a|of|the'
).split('|')
export const prose = (length: number, roll: Roll) =>
  times(length, () => pick(fragments, roll)).join(' ')
