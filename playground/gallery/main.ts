import { createApp } from 'vue'
import '../src/page/page.css'
import '@assent/components/style.css'
import Gallery from './Gallery.vue'

createApp(Gallery).mount('#app')
