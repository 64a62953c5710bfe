import {
  Copy,
  CornerDownRight,
  CornerLeftUp,
  Download,
  GripVertical,
  RefreshCw,
  Search,
  SquarePen,
  ThumbsDown,
  ThumbsUp,
  Upload,
} from '@lucide/vue'
import { replaceable } from './replaceable.ts'

/* Icons that only parts need which are loaded later: in one file with the others, they would be loaded at once. */
export const IconCopy = /* @__PURE__ */ replaceable('copy', Copy)
export const IconQueued = /* @__PURE__ */ replaceable('queued', CornerDownRight)
export const IconReturn = /* @__PURE__ */ replaceable('return', CornerLeftUp)
export const IconExport = /* @__PURE__ */ replaceable('export', Download)
export const IconGrip = /* @__PURE__ */ replaceable('grip', GripVertical)
export const IconRegenerate = /* @__PURE__ */ replaceable('regenerate', RefreshCw)
export const IconSearch = /* @__PURE__ */ replaceable('search', Search)
export const IconNew = /* @__PURE__ */ replaceable('new', SquarePen)
export const IconBad = /* @__PURE__ */ replaceable('bad', ThumbsDown)
export const IconGood = /* @__PURE__ */ replaceable('good', ThumbsUp)
export const IconImport = /* @__PURE__ */ replaceable('import', Upload)
