import { createApp } from 'vue'
import './page/page.css'
import '@assent/components/style.css'
import App from './App.vue'

createApp(App).mount('#app')
