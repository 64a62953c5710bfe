import {
  ArrowDown,
  ArrowUp,
  Ban,
  Check,
  ChevronRight,
  CircleAlert,
  CircleHelp,
  Clock,
  Copy,
  CornerDownRight,
  CornerLeftUp,
  Download,
  Eye,
  File,
  GripVertical,
  Image,
  LoaderCircle,
  Paperclip,
  Pencil,
  RefreshCw,
  RotateCcw,
  Search,
  Send,
  Sparkle,
  Square,
  SquarePen,
  ThumbsDown,
  ThumbsUp,
  Trash2,
  Upload,
  X,
} from '@lucide/vue'
import { replaceable } from './replaceable.ts'

/*
 * The icons that the components use, in one place. Each gives way to the one of its name in the
 * configuration: `IconArrowUp` to `icons.arrowUp`.
 */
export const IconArrowDown = /* @__PURE__ */ replaceable('arrowDown', ArrowDown)
export const IconArrowUp = /* @__PURE__ */ replaceable('arrowUp', ArrowUp)
export const IconBan = /* @__PURE__ */ replaceable('ban', Ban)
export const IconCheck = /* @__PURE__ */ replaceable('check', Check)
export const IconChevron = /* @__PURE__ */ replaceable('chevron', ChevronRight)
export const IconAlert = /* @__PURE__ */ replaceable('alert', CircleAlert)
export const IconQuestion = /* @__PURE__ */ replaceable('question', CircleHelp)
export const IconClock = /* @__PURE__ */ replaceable('clock', Clock)
export const IconCopy = /* @__PURE__ */ replaceable('copy', Copy)
export const IconQueued = /* @__PURE__ */ replaceable('queued', CornerDownRight)
export const IconReturn = /* @__PURE__ */ replaceable('return', CornerLeftUp)
export const IconExport = /* @__PURE__ */ replaceable('export', Download)
export const IconRead = /* @__PURE__ */ replaceable('read', Eye)
export const IconFile = /* @__PURE__ */ replaceable('file', File)
export const IconGrip = /* @__PURE__ */ replaceable('grip', GripVertical)
export const IconImage = /* @__PURE__ */ replaceable('image', Image)
export const IconSpinner = /* @__PURE__ */ replaceable('spinner', LoaderCircle)
export const IconAttach = /* @__PURE__ */ replaceable('attach', Paperclip)
export const IconWrite = /* @__PURE__ */ replaceable('write', Pencil)
export const IconRegenerate = /* @__PURE__ */ replaceable('regenerate', RefreshCw)
export const IconRetry = /* @__PURE__ */ replaceable('retry', RotateCcw)
export const IconSearch = /* @__PURE__ */ replaceable('search', Search)
export const IconSend = /* @__PURE__ */ replaceable('send', Send)
export const IconThought = /* @__PURE__ */ replaceable('thought', Sparkle)
export const IconStop = /* @__PURE__ */ replaceable('stop', Square)
export const IconNew = /* @__PURE__ */ replaceable('new', SquarePen)
export const IconBad = /* @__PURE__ */ replaceable('bad', ThumbsDown)
export const IconGood = /* @__PURE__ */ replaceable('good', ThumbsUp)
export const IconDestroy = /* @__PURE__ */ replaceable('destroy', Trash2)
export const IconImport = /* @__PURE__ */ replaceable('import', Upload)
export const IconCross = /* @__PURE__ */ replaceable('cross', X)
