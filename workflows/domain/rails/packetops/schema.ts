import { z } from 'zod'
import { columnsSchema } from '../input/columns.ts'
import { UploadedFile } from '../input/documents.ts'
import {
  Cited,
  Digest,
  INPUT_CHARS_MAX,
  Moment,
  Span,
  text,
  together,
  tooLongTogether,
} from '../input/fields.ts'
import { needs, profileKeys } from './profiles.ts'

// RFC 4648 §3.5: padded, and no bits left over that a decoder would drop.
const canonicalBase64 =
  /^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/][AQgw]==|[0-9a-zA-Z+/]{2}[AEIMQUYcgkosw048]=)?$/

const Period = z
  .strictObject({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from <= to, 'a period ends on or after the day that it begins')

/** An item but for a file that it names. */
const itemFields = {
  name: text(1, 256),
  section: text(1, 128),
  content: text(0, 1_048_576).optional(),
  content_base64: z.string().regex(canonicalBase64).max(1_400_000).optional(),
  sha256: Digest.optional(),
  bytes: z.int().min(0).optional(),
  issued_at: Moment.optional(),
  expires_at: Moment.optional(),
  source: text(1, 2048).optional(),
  /** The text of a file that is not text itself, as its sender extracted it. */
  extracted_text: text(0, 1_048_576).optional(),
  owner: text(1, 256).optional(),
  approved_by: text(1, 256).optional(),
  approved_at: Moment.optional(),
  /** The days, first and last included, for which the item shows that a control operated. */
  period: Period.optional(),
  /** The name of an earlier item of the section that this one replaces. */
  supersedes: text(1, 256).optional(),
  /** The name of the item of the section that lists the population this one was drawn from. */
  sample_of: text(1, 256).optional(),
  population_size: z.int().min(0).optional(),
}

export const Item = z
  .strictObject({
    ...itemFields,
    /** A file that was uploaded: PDF, DOCX and text are read, an image is a claim. */
    upload: UploadedFile.optional(),
  })
  .refine(
    ({ content, content_base64, sha256, upload }) =>
      content === undefined
        ? content_base64 !== undefined || sha256 !== undefined || upload !== undefined
        : content_base64 === undefined,
    'an item has content or content_base64 (not both), or else an upload or sha256',
  )
  .refine(
    ({ upload, content, content_base64, extracted_text }) =>
      upload === undefined ||
      [content, content_base64, extracted_text].every((one) => one === undefined),
    'an item with an upload has no content and no extracted_text',
  )
  .refine(
    ({ upload, sha256 }) =>
      upload === undefined || sha256 === undefined || upload.sha256 === sha256,
    'sha256 is another file than the upload',
  )
  .meta({
    anyOf: [
      { required: ['content'] },
      { required: ['content_base64'] },
      { required: ['sha256'] },
      { required: ['upload'] },
    ],
    not: { required: ['content', 'content_base64'] },
  })
export type Item = z.output<typeof Item>

const LIST_ITEMS_MAX = 200
/** So that all items of an uploaded list together are no longer than those of an input. */
const ROW_CHARS_MAX = INPUT_CHARS_MAX / LIST_ITEMS_MAX

/** An item of an uploaded list, which names no file itself. */
export const ListedItem = z
  .strictObject(itemFields)
  .refine(
    ({ content, content_base64, sha256 }) =>
      content === undefined
        ? content_base64 !== undefined || sha256 !== undefined
        : content_base64 === undefined,
    'an item has content or content_base64 (not both), or else sha256',
  )
  .refine(
    ({ content = '', content_base64 = '', extracted_text = '' }) =>
      content.length + content_base64.length + extracted_text.length <= ROW_CHARS_MAX,
    `the texts of an item of an uploaded list have at most ${ROW_CHARS_MAX} characters`,
  )

/** The caller's names of the columns of its items. A file is named by `upload` alone. */
export const packetColumns = columnsSchema({ items: z.strictObject(itemFields) })

/** A section of the sender's own list. `topics` are words of which its evidence has at least one. */
const OwnSection = z.strictObject({
  key: text(1, 128),
  title: text(1, 256),
  required: z.boolean().optional(),
  max_age_days: z.int().min(1).max(36_500).optional(),
  needs: z.array(z.enum(needs)).max(needs.length).optional(),
  topics: z.array(text(1, 128)).max(50).optional(),
  sample_min: z.int().min(1).max(1_000_000).optional(),
})

const headFields = {
  title: text(1, 256),
  purpose: text(1, 2048).optional(),
  profile: z.enum(profileKeys).optional(),
  required_sections: z.array(text(1, 128)).min(1).max(100).optional(),
  /** Sections of its own, which replace those of the profile that have the same key. */
  sections: z
    .array(OwnSection)
    .min(1)
    .max(100)
    .refine(
      (all) => new Set(all.map(({ key }) => key)).size === all.length,
      'every section has a key of its own',
    )
    .optional(),
  /** The days that the packet is about, first and last included. */
  period: Period.optional(),
  as_of: Moment.optional(),
  columns: packetColumns.optional(),
}
type Sections = {
  profile?: string | undefined
  required_sections?: string[] | undefined
  sections?: { required?: boolean | undefined }[] | undefined
}
const namesSections = ({ profile, required_sections, sections }: Sections): boolean =>
  profile !== undefined || required_sections !== undefined || sections !== undefined
const requiresSome = ({ profile, required_sections, sections }: Sections): boolean =>
  profile !== undefined ||
  required_sections !== undefined ||
  sections?.some(({ required }) => required !== false) === true
const unnamed = {
  message: 'a packet names a profile, its required sections, sections of its own, or several',
}
const unrequired = 'at least one section is required'

/** A packet without its items. */
export const PacketHead = z
  .strictObject(headFields)
  .refine(namesSections, unnamed)
  .refine(requiresSome, unrequired)

/** A packet of at most 200 documents. `as_of` is the date it is judged at; without it nothing is called expired or stale. */
export const PacketInput = z
  .strictObject({
    ...headFields,
    items: z
      .array(Item)
      .min(1)
      .max(LIST_ITEMS_MAX)
      .refine(
        (all) =>
          together(all.flatMap((item) => [item.content, item.content_base64, item.extracted_text])),
        tooLongTogether,
      ),
  })
  .refine(namesSections, unnamed)
  .refine(requiresSome, unrequired)
  .meta({
    anyOf: [
      { required: ['profile'] },
      { required: ['required_sections'] },
      { required: ['sections'] },
    ],
  })
export type PacketHead = z.output<typeof PacketHead>
export type PacketInput = z.output<typeof PacketInput>

const ManifestEntry = z.strictObject({
  name: z.string(),
  section: z.string(),
  sha256: Digest,
  bytes: z.int().nullable(),
  issued_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  source: z.string().nullable(),
  /** verified: of the content, as claimed; computed: of the content, nothing claimed; claimed: no content to check. */
  digest: z.enum(['verified', 'computed', 'claimed', 'mismatch']),
  validity: z.enum(['current', 'expired', 'stale', 'future', 'undated', 'unjudged']),
  /**
   * What its text says: written (nothing against the control), failing, empty, placeholder (not filled in), unfinished (in part),
   * thin (too few words), contradicted (by another item), binary (no text to read), unread (no content).
   */
  reading: z.enum([
    'written',
    'failing',
    'empty',
    'placeholder',
    'unfinished',
    'thin',
    'contradicted',
    'binary',
    'unread',
  ]),
  owner: z.string().nullable(),
  approved_by: z.string().nullable(),
  period: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  superseded_by: z.string().nullable(),
  points: z.int().min(0).max(2),
  leaf_sha256: Digest,
})
export type ManifestEntry = z.output<typeof ManifestEntry>

const Dated = z.strictObject({
  name: z.string(),
  section: z.string(),
  since: z.string(),
  citation: Cited,
})

const SectionCoverage = z.strictObject({
  section: z.string(),
  title: z.string(),
  required: z.boolean(),
  max_age_days: z.int().nullable(),
  /** failing: its evidence says that the control does not hold. */
  state: z.enum(['present', 'partial', 'unusable', 'failing', 'missing']),
  points: z.int().min(0).max(2),
  /** The codes of all that keeps it from two points. */
  reasons: z.array(z.string()),
  items: z.array(Cited),
})
export type SectionCoverage = z.output<typeof SectionCoverage>

/** What an item says against its control. `span` is null where its text is not a string of the input. */
const Weakness = z.strictObject({
  name: z.string(),
  section: z.string(),
  code: z.string(),
  /** The name of the value or of the column that says it, or `text`. */
  about: z.string(),
  /** How many rows of a table say it; 0 outside of tables. */
  rows: z.int(),
  words: z.string(),
  span: Span.nullable(),
})
export type Weakness = z.output<typeof Weakness>

const Contradiction = z.strictObject({
  about: z.string(),
  sides: z.array(
    z.strictObject({ name: z.string(), section: z.string(), value: z.string(), citation: Cited }),
  ),
})
export type Contradiction = z.output<typeof Contradiction>

const Sample = z.strictObject({
  section: z.string(),
  sample: z.string(),
  population: z.string().nullable(),
  population_size: z.int().nullable(),
  stated_population_size: z.int().nullable(),
  sample_size: z.int(),
  needed: z.int().nullable(),
  /** Rows of the sample that the population does not have. */
  strangers: z.array(z.string()),
  repeated: z.int(),
  exceptions: z.int(),
  state: z.enum(['sufficient', 'too_small', 'not_from_population', 'population_unknown']),
})
export type Sample = z.output<typeof Sample>

export const PacketResult = z.strictObject({
  profile: z.enum(profileKeys).nullable(),
  as_of: z.string().nullable(),
  manifest: z.array(ManifestEntry),
  merkle_root: Digest,
  section_coverage: z.array(SectionCoverage),
  duplicates: z.array(z.strictObject({ sha256: Digest, items: z.array(Cited) })),
  expired: z.array(Dated),
  stale: z.array(Dated),
  hash_mismatches: z.array(
    z.strictObject({ name: z.string(), claimed_sha256: Digest, sha256: Digest, citation: Cited }),
  ),
  weaknesses: z.array(Weakness),
  contradictions: z.array(Contradiction),
  samples: z.array(Sample),
  gaps: z.array(z.string()),
  readiness: z.strictObject({ score: z.int().min(0).max(100), rule: z.string() }),
  complete: z.boolean(),
})
export type PacketResult = z.output<typeof PacketResult>
