-- The option that an image shows, for example the color "Azul". The shop shows the image first when that option is
-- chosen.
alter table product_images add column option text check (option <> '');
